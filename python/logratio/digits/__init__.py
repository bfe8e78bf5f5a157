"""Numbers that a policy writes digit by digit: how sure it was of them, and how far off they are.

The module is the verb, too: ``logratio.digits(run)`` is `logratio.verbs.digits`.
"""

from ..verb_module import make_verb
from .align import AlignedDigits, align_true_digits
from .losses import DigitLosses, digit_log_probs, digit_losses, number_token_loss, read_digit_log_probs
from .proxy import digit_proxy
from .rewards import compute_bonus_reward, compute_confidence_reward, compute_full_ntl_reward, compute_loss_reward
from .tokens import find_digit_tokens, take_digit_tokens

make_verb(__name__)

__all__ = [
    "AlignedDigits",
    "DigitLosses",
    "align_true_digits",
    "compute_bonus_reward",
    "compute_confidence_reward",
    "compute_full_ntl_reward",
    "compute_loss_reward",
    "digit_log_probs",
    "digit_losses",
    "digit_proxy",
    "find_digit_tokens",
    "number_token_loss",
    "read_digit_log_probs",
    "take_digit_tokens",
]
