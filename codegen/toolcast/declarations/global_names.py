"""Names that programs find at the top: a tool or a type of that name would hide or contradict them."""

from __future__ import annotations

ECMASCRIPT = frozenset(
    " ".join(
        (
            "AggregateError AggregateErrorConstructor Array ArrayBuffer ArrayBufferConstructor",
            "ArrayBufferLike ArrayBufferTypes ArrayBufferView ArrayConstructor ArrayIterator ArrayLike",
            "AsyncDisposable AsyncDisposableStack AsyncDisposableStackConstructor AsyncGenerator",
            "AsyncGeneratorFunction AsyncGeneratorFunctionConstructor AsyncIterable AsyncIterableIterator",
            "AsyncIterator AsyncIteratorObject Atomics Awaited BigInt BigInt64Array BigInt64ArrayConstructor",
            "BigIntConstructor BigIntToLocaleStringOptions BigUint64Array BigUint64ArrayConstructor Boolean",
            "BooleanConstructor BuiltinIteratorReturn CallableFunction Capitalize",
            "ClassAccessorDecoratorContext ClassAccessorDecoratorResult ClassAccessorDecoratorTarget",
            "ClassDecorator ClassDecoratorContext ClassFieldDecoratorContext ClassGetterDecoratorContext",
            "ClassMemberDecoratorContext ClassMethodDecoratorContext ClassSetterDecoratorContext ConcatArray",
            "ConstructorParameters DataView DataViewConstructor Date DateConstructor DecoratorContext",
            "DecoratorMetadata DecoratorMetadataObject Disposable DisposableStack DisposableStackConstructor",
            "Error ErrorConstructor ErrorOptions EvalError EvalErrorConstructor Exclude Extract",
            "FinalizationRegistry FinalizationRegistryConstructor FlatArray Float16Array",
            "Float16ArrayConstructor Float32Array Float32ArrayConstructor Float64Array",
            "Float64ArrayConstructor Function FunctionConstructor Generator GeneratorFunction",
            "GeneratorFunctionConstructor IArguments ImportAssertions ImportAttributes ImportCallOptions",
            "ImportMeta Infinity InstanceType Int16Array Int16ArrayConstructor Int32Array",
            "Int32ArrayConstructor Int8Array Int8ArrayConstructor Intl Iterable IterableIterator Iterator",
            "IteratorObject IteratorObjectConstructor",
            "IteratorResult IteratorReturnResult IteratorYieldResult",
            "JSON Lowercase Map MapConstructor MapIterator Math MethodDecorator NaN NewableFunction NoInfer",
            "NonNullable Number NumberConstructor Object ObjectConstructor Omit OmitThisParameter",
            "ParameterDecorator Parameters Partial Pick Promise PromiseConstructor PromiseConstructorLike",
            "PromiseFulfilledResult PromiseLike PromiseRejectedResult PromiseSettledResult",
            "PromiseWithResolvers PropertyDecorator PropertyDescriptor PropertyDescriptorMap PropertyKey",
            "Proxy ProxyConstructor ProxyHandler RangeError RangeErrorConstructor Readonly ReadonlyArray",
            "ReadonlyMap ReadonlySet ReadonlySetLike Record ReferenceError ReferenceErrorConstructor Reflect",
            "RegExp RegExpConstructor RegExpExecArray RegExpIndicesArray RegExpMatchArray",
            "RegExpStringIterator Required ReturnType Set SetConstructor SetIterator SharedArrayBuffer",
            "SharedArrayBufferConstructor String StringConstructor StringIterator SuppressedError",
            "SuppressedErrorConstructor Symbol SymbolConstructor SyntaxError SyntaxErrorConstructor",
            "TemplateStringsArray Temporal ThisParameterType ThisType TypeError TypeErrorConstructor",
            "TypedPropertyDescriptor URIError URIErrorConstructor Uint16Array Uint16ArrayConstructor",
            "Uint32Array Uint32ArrayConstructor Uint8Array Uint8ArrayConstructor Uint8ClampedArray",
            "Uint8ClampedArrayConstructor Uncapitalize Uppercase WeakKey WeakKeyTypes WeakMap",
            "WeakMapConstructor WeakRef WeakRefConstructor WeakSet WeakSetConstructor decodeURI",
            "decodeURIComponent encodeURI encodeURIComponent escape eval isFinite isNaN parseFloat parseInt",
            "unescape",
        )
    ).split()
)
"""Values and types that TypeScript 7.0 declares in `lib.es*.d.ts` and `lib.decorators*.d.ts`."""
HOSTS = frozenset(
    " ".join(
        (
            "AbortController AbortSignal Blob BroadcastChannel Buffer ByteLengthQueuingStrategy Cache",
            "CacheStorage CloseEvent CompressionStream CountQueuingStrategy Crypto CryptoKey CustomEvent",
            "DOMException DecompressionStream Deno ErrorEvent Event EventSource EventTarget File FileReader",
            "FormData GPU Headers ImageBitmap ImageData Location MessageChannel MessageEvent MessagePort",
            "Navigator Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver",
            "PerformanceObserverEntryList PerformanceResourceTiming ProgressEvent PromiseRejectionEvent",
            "ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest",
            "ReadableStreamDefaultController ReadableStreamDefaultReader Request Response Storage",
            "SubtleCrypto TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream",
            "TransformStreamDefaultController URL URLPattern URLSearchParams WebAssembly WebSocket",
            "WebSocketStream Window Worker WritableStream WritableStreamDefaultController",
            "WritableStreamDefaultWriter alert atob blur btoa caches clearImmediate clearInterval",
            "clearTimeout close closed confirm console createImageBitmap crypto document event exports",
            "external fetch find focus frames global history indexedDB length localStorage location module",
            "moveTo name navigator open origin parent performance print process prompt queueMicrotask",
            "reportError require scheduler screen scroll self sessionStorage setImmediate setInterval",
            "setTimeout status stop structuredClone top window",
        )
    ).split()
)
"""Further values in browsers, Node.js 20 and Deno 2."""
PYTHON = frozenset(
    " ".join(
        (
            "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError",
            "BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError",
            "ConnectionError ConnectionRefusedError ConnectionResetError",
            "DeprecationWarning EOFError Ellipsis",
            "EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError",
            "FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning",
            "IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt",
            "LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplemented",
            "NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError",
            "ProcessLookupError PythonFinalizationError RecursionError ReferenceError ResourceWarning",
            "RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning",
            "SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError",
            "UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError",
            "Warning ZeroDivisionError abs aiter all anext any ascii bin bool breakpoint bytearray bytes",
            "callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate",
            "eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int",
            "isinstance issubclass iter len license list locals map max memoryview min next object oct open",
            "ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str",
            "sum super tuple type vars zip",
        )
    ).split()
)
"""What Python 3.9 to 3.14 has in `builtins`."""
PYTHON_MODULES = frozenset(
    " ".join(
        (
            "abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit",
            "audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath",
            "cmd code codecs codeop collections colorsys compileall compression concurrent",
            "configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses",
            "datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno",
            "faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath",
            "getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib",
            "imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3",
            "linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder",
            "msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode",
            "operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform",
            "plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc",
            "pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy",
            "sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr",
            "socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics",
            "string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile",
            "telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize",
            "tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata",
            "unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref",
            "xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo",
        )
    ).split()
)
"""`sys.stdlib_module_names` of Python 3.11 to 3.14: a group is a module, and hides none of these."""
CLIENT = frozenset(("ToolError", "describe", "listTools", "list_tools", "tools"))
"""What the clients in `runtime/code/clients` put beside the tools."""
