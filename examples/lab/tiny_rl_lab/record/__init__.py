"""Files: the .npz record of a step, the containers made from it, safetensors, checkpoints."""
