"""A name that verl 0.6 imports, and that transformers 5 has changed."""

import transformers

transformers.AutoModelForVision2Seq = transformers.AutoModelForImageTextToText
