"""ONNX export, and the checks of what other libraries make of our files."""
