import { FormatError, type Place, UnsupportedError } from "../../../core/base/index.ts";

/** What to do with a class that is neither in the allow-list nor dangerous. */
export type UnknownClasses = "refuse" | "record";

/** Modules with access to the operating system, the interpreter or other code. Always refused. */
const DANGEROUS_MODULES: ReadonlySet<string> = new Set(
  (
    "os posix nt posixpath ntpath subprocess sys importlib imp builtins runpy pty shutil socket ssl http urllib " +
    "ftplib smtplib telnetlib webbrowser requests code codeop ctypes _ctypes cffi multiprocessing threading _thread " +
    "asyncio concurrent signal resource pickle _pickle cloudpickle dill joblib marshal shelve types operator " +
    "_operator functools itertools inspect gc atexit tempfile glob fileinput io _io pdb bdb timeit trace profile " +
    "cProfile doctest unittest pip ensurepip venv setuptools distutils pkgutil zipimport zipapp sqlite3 commands " +
    "popen2 platform site sysconfig pydoc cgi xmlrpc weakref _winapi winreg msvcrt"
  ).split(" "),
);

/** Data classes of the standard library that dumps hold as side information: recorded in every mode. */
const RECORDED: ReadonlySet<string> = new Set([
  "_io.BytesIO",
  "argparse.Namespace",
  "builtins.complex",
  "builtins.range",
  "builtins.slice",
  "datetime.date",
  "datetime.datetime",
  "datetime.time",
  "datetime.timedelta",
  "datetime.timezone",
  "decimal.Decimal",
  "fractions.Fraction",
  "pathlib.Path",
  "pathlib.PosixPath",
  "pathlib.PurePath",
  "pathlib.PurePosixPath",
  "pathlib.PureWindowsPath",
  "pathlib.WindowsPath",
  "types.SimpleNamespace",
  "uuid.UUID",
]);

/** Known, harmless and unsupported, with hints. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  [
    "torch.storage._load_from_bytes",
    "save tensors with torch.save, or as .numpy() arrays, not inside a plain pickle",
  ],
  ["torch._utils._rebuild_nested_tensor", "save nested tensors as lists: tensor.unbind()"],
  ["torch._utils._rebuild_sparse_tensor", "save it as tensor.to_dense()"],
  ["torch._utils._rebuild_qtensor", "save it as tensor.dequantize()"],
  [
    "torch._utils._rebuild_wrapper_subclass",
    "save it as tensor.full_tensor(), or convert the subclass to a plain tensor",
  ],
  [
    "torch._utils._rebuild_meta_tensor_no_storage",
    "the tensor is on the meta device: it has no values to read",
  ],
  ["torch._utils._rebuild_device_tensor_from_numpy", "save it as tensor.cpu()"],
  ["torch._utils._rebuild_device_tensor_from_cpu_tensor", "save it as tensor.cpu()"],
  ["torch.jit._pickle.build_intlist", "this is a TorchScript archive: save its tensors with torch.save"],
]);

/** Python 2's names, which protocols 0 to 2 use. */
const PYTHON_2_MODULES: ReadonlyMap<string, string> = new Map([
  ["__builtin__", "builtins"],
  ["copy_reg", "copyreg"],
]);
const PYTHON_2_NAMES: ReadonlyMap<string, string> = new Map([
  ["builtins.xrange", "builtins.range"],
  ["builtins.unicode", "builtins.str"],
  ["builtins.long", "builtins.int"],
]);

export interface Lookup {
  readonly name: string;
  /** `allowed` has a builder or is a plain name; `recorded` is kept as data, and nothing is called. */
  readonly as: "allowed" | "recorded";
}

/**
 * Looks a global up by name. Nothing is imported or called, here or later: the result only says whether the pickle may
 * continue.
 *
 * @throws FormatError if the global is dangerous, or unknown and `unknownClasses` is `refuse`
 * @throws UnsupportedError if it is known and cannot be read
 */
export function lookUpGlobal(
  module: string,
  qualifiedName: string,
  isAllowed: (name: string) => boolean,
  unknownClasses: UnknownClasses,
  at: Place,
): Lookup {
  const modern = PYTHON_2_MODULES.get(module) ?? module;
  const full = `${modern}.${qualifiedName}`;
  const name = PYTHON_2_NAMES.get(full) ?? full;
  if (isAllowed(name)) return { name, as: "allowed" };
  if (RECORDED.has(name)) return { name, as: "recorded" };
  const instead = UNSUPPORTED.get(name);
  if (instead !== undefined) throw new UnsupportedError(`${name} is not read`, { at, hint: instead });
  if (isDangerous(modern, qualifiedName)) {
    throw new FormatError(`refused to run ${module}.${qualifiedName}`, {
      at,
      likely: "the file was crafted to run code on the machine that loads it; nothing was run",
      hint: "do not load it in Python; find out where it comes from",
    });
  }
  if (unknownClasses === "record") return { name, as: "recorded" };
  throw new FormatError(
    `refused to build ${module}.${qualifiedName}, a class that is not on the allow-list of plain data`,
    {
      at,
      likely: "the trainer saved its own objects instead of tensors, lists and dicts",
      hint: 'save plain data (for a dataclass: dataclasses.asdict), or read with unknownClasses: "record"',
    },
  );
}

function isDangerous(module: string, qualifiedName: string): boolean {
  // `torch` has an attribute `os`, so "torch" + "os.system" is as bad as "os" + "system".
  const onTheWay = qualifiedName.split(".").slice(0, -1);
  const packages = module.split(".");
  return DANGEROUS_MODULES.has(packages[0]!) || onTheWay.some((part) => DANGEROUS_MODULES.has(part));
}
