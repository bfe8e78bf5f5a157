"""Four steps of Lightning's own Trainer. Prints what its logger was told."""

import json

import lightning.pytorch as pl
import torch
from lightning.pytorch.loggers.logger import DummyLogger
from test_hooks_loops import make_columns

import logratio.lightning

told = []


class Logger(DummyLogger):
    def log_metrics(self, metrics, step=None):
        told.append((step, metrics))


class Module(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def training_step(self, batch, batch_idx):
        # The mask comes with the batch, and other things that it holds are not columns.
        columns = {name: torch.from_numpy(value) for name, value in make_columns(batch_idx).items()}
        del columns["response_mask"]
        return {"loss": (batch["x"] @ self.weight).mean(), **columns, "note": 1}

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


rows = [{"x": torch.ones(2), "response_mask": torch.from_numpy(make_columns(i)["response_mask"])} for i in range(4)]
trainer = pl.Trainer(
    accelerator="cpu",
    max_epochs=1,
    logger=Logger(),
    log_every_n_steps=2,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    callbacks=[logratio.lightning.Callback(dir="runs", name="a")],
)
trainer.fit(Module(), torch.utils.data.DataLoader(rows, batch_size=None))
print(json.dumps(told))
