import { describe, expect, it } from "vitest";
import { findPin } from "./pins.ts";

const UV = `version = 1

[[package]]
name = "triton"
version = "3.4.0"

[[package]]
name = "ms-swift"
version = "4.6.0"
source = { registry = "https://pypi.org/simple" }
dependencies = [
    { name = "trl", version = "9.9" },
]

[[package]]
name = "trl"
version = "1.16.0"
`;

describe("the version that a file pins", () => {
  it.each([
    ["requirements.txt", "verl==0.9.1\ntrl==1.16.0\n", "trl", { version: "1.16.0", line: 2 }],
    ["requirements.txt", "# trl==1.0\ntrl-jobs==0.4.0\n", "trl", undefined],
    [
      "requirements.txt",
      "verl[vllm,gpu] == 0.9.1 ; python_version > '3.9'\n",
      "verl",
      { version: "0.9.1", line: 1 },
    ],
    ["requirements.txt", "verl @ git+https://host/verl@v0.8.0\n", "verl", { version: "0.8.0", line: 1 }],
    ["requirements.txt", "verl @ git+https://host/verl@main\n", "verl", undefined],
    ["requirements.txt", "trl>=1.0\n", "trl", undefined],
    ["requirements.txt", "ms_swift==4.6.0\r\n", "ms-swift", { version: "4.6.0", line: 1 }],
    [
      "pyproject.toml",
      'dependencies = ["torch", "OpenRLHF==0.11.1"]\n',
      "openrlhf",
      { version: "0.11.1", line: 1 },
    ],
    ["pyproject.toml", '[tool.poetry.dependencies]\ntrl = "1.16.0"\n', "trl", { version: "1.16.0", line: 2 }],
    ["pyproject.toml", 'trl = "^1.16"\n', "trl", undefined],
    [
      "pyproject.toml",
      'verl = { git = "https://host/verl", tag = "v0.9.1" }\n',
      "verl",
      { version: "0.9.1", line: 1 },
    ],
    ["uv.lock", UV, "trl", { version: "1.16.0", line: 17 }],
    ["uv.lock", UV, "ms_swift", { version: "4.6.0", line: 9 }],
    ["uv.lock", UV, "verl", undefined],
    ["poetry.lock", '[[package]]\nname = "verl"\nversion = "0.9.1"\n', "verl", { version: "0.9.1", line: 3 }],
  ])("%s: %j pins of %s", (file, text, distribution, pin) => {
    expect(findPin(text, file, distribution)).toEqual(pin);
  });
});
