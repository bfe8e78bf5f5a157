"""One episode, as the engine saw it."""

from dataclasses import dataclass, field

from ..task import MAX_TOOL_CALLS
from ..tokenizer import END_CALC, EOS

TOP_K = 5


@dataclass
class Trajectory:
    """All lists are about the response and have its length; the last three may be empty."""

    prompt: list[int]  # with <bos>
    response: list[int] = field(default_factory=list)  # model and tool tokens, <eos> included
    mask: list[int] = field(default_factory=list)  # 1 where the model chose the token
    log_prob: list[float] = field(default_factory=list)  # nats; 0.0 at tool tokens
    entropy: list[float] = field(default_factory=list)  # nats; 0.0 at tool tokens
    top_ids: list[list[int]] = field(default_factory=list)  # -1 at tool tokens
    top_log_prob: list[list[float]] = field(default_factory=list)
    tool_calls: int = 0
    stop: str = ""  # eos | length | tool_limit

    @property
    def finished(self) -> bool:
        return self.stop == "eos"

    @property
    def turns(self) -> int:
        return self.tool_calls + 1

    def add_forced(self, token: int, details: bool) -> None:
        """Append a token of the tool's output."""
        self.response.append(token)
        self.mask.append(0)
        self.log_prob.append(0.0)
        if details:
            self.entropy.append(0.0)
            self.top_ids.append([-1] * TOP_K)
            self.top_log_prob.append([0.0] * TOP_K)

    def add_sampled(self, token: int, log_prob: float) -> None:
        """Append a token of the model's own; the caller adds the details."""
        self.response.append(token)
        self.mask.append(1)
        self.log_prob.append(log_prob)

    def called_tool(self, token: int) -> bool:
        """Note what the sampled `token` means for the episode; true if it calls the tool."""
        if token == EOS:
            self.stop = "eos"
        elif token == END_CALC:
            if self.tool_calls == MAX_TOOL_CALLS:
                self.stop = "tool_limit"
            else:
                self.tool_calls += 1
                return True
        return False
