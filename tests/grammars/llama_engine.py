"""llama.cpp's own grammar sampler, with the face of `engine.Engine`: libllama as node-llama-cpp ships it,
which `make engines` fetches. Its vocabulary is a file of a few kilobytes that has a token for each byte."""

import ctypes
import random
import struct
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

from .engine import RefusedError
from .walks import QUOTE, State, refuses, walk

_END = 0  # the token of the end; that of a byte is one more than the byte


class _Token(ctypes.Structure):
    _fields_ = (("id", ctypes.c_int32), ("logit", ctypes.c_float), ("p", ctypes.c_float))


class _Tokens(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.POINTER(_Token)),
        ("size", ctypes.c_size_t),
        ("selected", ctypes.c_int64),
        ("sorted", ctypes.c_bool),
    )


class _ModelParams(ctypes.Structure):
    """`llama_model_params` of llama.h: nothing but its first boolean is set here."""

    _fields_ = (
        ("before", ctypes.c_uint8 * 72),
        ("vocab_only", ctypes.c_bool),
        ("after", ctypes.c_uint8 * 55),
    )


_Log = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


@_Log
def _silent(_level: int, _text: bytes, _data: object) -> None:
    """Its parser prints what is wrong to standard error, too."""


ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ROOT / ".venv-grammars/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64"


def load(folder: Path) -> "LlamaEngine":
    """The engine; `folder` is where its vocabulary may be written. Raises ImportError."""
    found = sorted(LIBRARIES.glob("libllama.*.so"))
    if not found:
        raise ImportError("llama.cpp is missing: make engines")
    return LlamaEngine(found[0], folder)


class LlamaEngine:
    """One vocabulary for all grammars."""

    def __init__(self, library: Path, folder: Path) -> None:
        """`library`: libllama; `folder`: where the vocabulary may be written."""
        self._llama = lib = ctypes.CDLL(str(library))
        pointer, state = ctypes.c_void_p, ctypes.c_void_p
        for name, result, arguments in (
            ("llama_log_set", None, [_Log, pointer]),
            ("llama_model_default_params", _ModelParams, []),
            ("llama_model_load_from_file", pointer, [ctypes.c_char_p, _ModelParams]),
            ("llama_model_get_vocab", pointer, [pointer]),
            ("llama_sampler_init_grammar", state, [pointer, ctypes.c_char_p, ctypes.c_char_p]),
            ("llama_sampler_clone", state, [state]),
            ("llama_sampler_free", None, [state]),
            ("llama_sampler_accept", None, [state, ctypes.c_int32]),
            ("llama_sampler_apply", None, [state, ctypes.POINTER(_Tokens)]),
        ):
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
        lib.llama_log_set(_silent, None)
        file = folder / "bytes.gguf"
        file.write_bytes(b"".join(_vocabulary()))
        params = lib.llama_model_default_params()
        params.vocab_only = True
        model = lib.llama_model_load_from_file(str(file).encode(), params)
        assert model is not None, "llama.cpp does not load the vocabulary"
        self._vocabulary = lib.llama_model_get_vocab(model)

    def compile_text(self, gbnf: str) -> "LlamaGrammar":
        """Raises RefusedError."""
        made = self._llama.llama_sampler_init_grammar(self._vocabulary, gbnf.encode(), b"root")
        if made is None:
            raise RefusedError("llama.cpp does not parse it")
        return LlamaGrammar(_State(self._llama, made))


class LlamaGrammar:
    def __init__(self, start: "_State") -> None:
        self._start = start

    def start(self) -> State:
        """The engine at the start of a text."""
        return self._start.fork()

    def refuses(self, text: str) -> str | None:
        """Where `text` leaves the grammar, if it does."""
        return refuses(self.start(), text)

    def walk(self, rng: random.Random, exits: Sequence[bytes] = QUOTE, begun: bytes = b"") -> bytes | None:
        """A text that the grammar accepts, as `walks.walk` makes it."""
        return walk(self.start(), rng, exits, begun)


class _State:
    def __init__(self, llama: ctypes.CDLL, sampler: int) -> None:
        self._llama = llama
        self._sampler = sampler
        self._known: tuple[bool, tuple[int, ...]] | None = None  # what may come next

    def __del__(self) -> None:
        self._llama.llama_sampler_free(self._sampler)

    def allowed(self) -> tuple[int, ...]:
        return self._masked()[1]

    def accepting(self) -> bool:
        return self._masked()[0]

    def take(self, byte: int) -> bool:
        may = self._left((byte,)) if self._known is None else (byte in self._known[1], ())
        if not may[0]:  # accepting what is not allowed ends the process
            return False
        self._llama.llama_sampler_accept(self._sampler, byte + 1)
        self._known = None
        return True

    def fork(self) -> "_State":
        return _State(self._llama, self._llama.llama_sampler_clone(self._sampler))

    def _masked(self) -> tuple[bool, tuple[int, ...]]:
        if self._known is None:
            self._known = self._left(range(_END - 1, 256))
        return self._known

    def _left(self, ones: Sequence[int]) -> tuple[bool, tuple[int, ...]]:
        """Of tokens with ids one past `ones`: whether the grammar leaves the first one's logit as it is, and
        the others that it leaves so."""
        data = (_Token * len(ones)).from_buffer_copy(_unsampled(ones))
        tokens = _Tokens(data, len(ones), -1, False)
        self._llama.llama_sampler_apply(self._sampler, ctypes.byref(tokens))
        return _read(bytes(data))


@cache
def _unsampled(ones: Sequence[int]) -> bytes:
    """Tokens before any sampler, all alike."""
    return b"".join(struct.pack("<iff", one + 1, 0.0, 0.0) for one in ones)


@lru_cache(maxsize=8192)
def _read(sampled: bytes) -> tuple[bool, tuple[int, ...]]:
    first, *others = struct.iter_unpack("<iff", sampled)
    return first[1] == 0.0, tuple(id - 1 for id, logit, _ in others if logit == 0.0)


def _vocabulary() -> Iterator[bytes]:
    """A GGUF file without tensors: a vocabulary of SentencePiece's kind."""
    u32, i32, f32, text, array = 4, 5, 6, 8, 9
    tokens = ["</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    control, of_a_byte = 3, 6
    entries: tuple[tuple[str, int, object], ...] = (
        ("general.architecture", text, "llama"),
        *((f"llama.{name}", u32, 1) for name in ("context_length", "embedding_length", "block_count")),
        *((f"llama.{name}", u32, 1) for name in ("feed_forward_length", "attention.head_count")),
        ("tokenizer.ggml.model", text, "llama"),
        ("tokenizer.ggml.tokens", array, (text, tokens)),
        ("tokenizer.ggml.scores", array, (f32, [0.0] * 257)),
        ("tokenizer.ggml.token_type", array, (i32, [control, *[of_a_byte] * 256])),
        *((f"tokenizer.ggml.{name}_token_id", u32, _END) for name in ("bos", "eos", "unknown")),
    )
    yield b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries))
    for name, kind, value in entries:
        yield _value(8, name) + struct.pack("<I", kind) + _value(kind, value)


def _value(kind: int, value: object) -> bytes:
    if isinstance(value, str):
        return struct.pack("<Q", len(value.encode())) + value.encode()
    if isinstance(value, tuple):
        of, items = value
        return struct.pack("<IQ", of, len(items)) + b"".join(_value(of, item) for item in items)
    return struct.pack({4: "<I", 5: "<i", 6: "<f"}[kind], value)
