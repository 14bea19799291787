"""Which calls run: the order of the rules, what *always* means, how often."""

# ruff: noqa: ARG001, ARG002, ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import itertools
import threading
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolcast.runtime import Principal, ToolBinding, ToolContext, ToolRegistry, ToolResult
from toolcast.runtime.middleware.events import Refused
from toolcast.runtime.middleware.policy import Answer, Policy, RateLimit
from toolcast.runtime.middleware.policy.approval import shape_of
from toolcast.runtime.middleware.policy.policy import Bucket
from toolcast_tools.generated.shell.bash import BASH

from tests.runtime.helpers import Watch
from tests.runtime.sample.files.edit import EDIT

Binding = ToolBinding[Any, Any]
GOOD = {"file_path": "/src/a.py", "old_string": "x", "new_string": "y"}


def like(permission: str = "write", name: str = "edit") -> Binding:
    return msgspec.structs.replace(EDIT, name=name, permission=permission)


class Approver:
    """Answers in turn, and remembers what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    def __call__(self, request: Any) -> Any:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def registry_with(policy: Policy, binding: Binding | None = None, **options: Any) -> ToolRegistry:
    registry = ToolRegistry(check_results=False, policy=policy, **options)
    registry.register(like() if binding is None else binding, lambda params, context: "done")
    return registry


def run(policy: Policy, binding: Binding | None = None, **changed: Any) -> ToolResult:
    registry = registry_with(policy, binding)
    return asyncio.run(registry.execute(registry.names[0], {**GOOD, **changed}))


@pytest.mark.parametrize("policy", [None, Policy("full"), Policy(auto_approve=["edit"])])
@pytest.mark.parametrize(
    ("principal", "missing"),
    [
        (None, ""),
        (Principal(id="ada", scopes=("b", "a", "c")), ""),
        (Principal(id="ada", scopes=("a",)), "lacks the scope 'b'"),
        (Principal(id="ada"), "lacks the scopes 'a', 'b'"),
        ({"id": "ada", "scopes": ["a", "b"]}, "lacks the scopes 'a', 'b'"),
    ],
)
def test_a_principal_that_lacks_a_scope_calls_nothing(
    policy: Policy | None, principal: object, missing: str
) -> None:
    """It holds with every policy, and without one; a call without a principal needs no scopes."""
    watch = Watch()
    registry = ToolRegistry(check_results=False, policy=policy, hooks=watch)
    registry.register(msgspec.structs.replace(EDIT, scopes=("a", "b")), lambda params, context: "done")
    extra = {} if principal is None else {"principal": principal}
    result = asyncio.run(registry.execute("edit", GOOD, context=ToolContext(extra=extra)))
    assert result.success == (not missing)
    assert missing in result.error
    refused = [each for each in watch.events if isinstance(each, Refused)]
    assert [each.stage for each in refused] == (["policy"] if missing else [])


def remembered(**options: Any) -> tuple[Any, ...]:
    """What a session knows after the good call was answered *always*."""
    policy = Policy(approver=Approver("always"), **options)
    assert run(policy).success
    return policy.remembered


ALWAYS = remembered()


@pytest.mark.parametrize("autonomy", ["read_only", "supervised", "full"])
@pytest.mark.parametrize("permission", ["read", "write"])
def test_the_order_of_the_rules(autonomy: Any, permission: str) -> None:
    for ask, auto, session in itertools.product((False, True), repeat=3):
        for answer in (None, "yes", "no"):
            judge(autonomy, permission, ask, auto, session, answer)


def judge(autonomy: Any, permission: str, ask: bool, auto: bool, session: bool, answer: Any) -> None:
    """One row, against the order written as a sentence."""
    approver = None if answer is None else Approver(answer)
    policy = Policy(
        autonomy,
        always_ask=["edit"] if ask else [],
        auto_approve=["edit"] if auto else [],
        approver=approver,
    )
    policy._session = ALWAYS if session else ()
    if autonomy == "full":
        expected, asks = True, False
    elif autonomy == "read_only" and permission != "read":
        expected, asks = False, False
    elif ask or not (auto or session or permission == "read"):
        expected, asks = answer == "yes", True
    else:
        expected, asks = True, False
    result = run(policy, like(permission))
    assert result.success is expected
    assert (approver is not None and bool(approver.asked)) == (asks and answer is not None)
    assert result.success or "'edit'" in result.error


@pytest.mark.parametrize(
    ("asks", "asked"),
    [
        (None, ["write", "execute", "network", "admin"]),
        (("read", "write", "execute", "network"), ["read", "write", "execute", "network", "admin"]),
        (("execute",), ["execute", "admin"]),
        ((), ["admin"]),
    ],
)
def test_supervised_mode_asks_by_permission(asks: Any, asked: list[str]) -> None:
    """`admin` is what no spec can state: who made such a binding by hand is asked for it."""
    approver = Approver(*["no"] * 5)
    policy = Policy(approver=approver, **({} if asks is None else {"asks": asks}))
    for permission in ("read", "write", "execute", "network", "admin"):
        assert run(policy, like(permission)).success is (permission not in asked)
    assert [request.permission for request in approver.asked] == asked


def test_a_tool_that_reads_may_be_asked_for_by_name() -> None:
    approver = Approver("no")
    assert not run(Policy(always_ask=["edit"], approver=approver), like("read")).success
    assert len(approver.asked) == 1


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ("no", "was not approved. Do not repeat it"),
        (Answer("no", "use the other file."), "was not approved: use the other file. Do not"),
        (Answer("no", "keep it"), "was not approved: keep it. Do not"),
        (True, "internal error TypeError"),
        (None, "internal error TypeError"),
        ("YES", "internal error TypeError"),
        (Answer("maybe"), "internal error TypeError"),  # type: ignore[arg-type]
        (ValueError("x"), "internal error ValueError"),
    ],
)
def test_anything_but_yes_runs_nothing(answer: Any, word: str) -> None:
    result = run(Policy(approver=Approver(answer)))
    assert not result.success
    assert word in result.error


def test_an_async_approver_is_awaited() -> None:
    async def approve(request: Any) -> str:
        await asyncio.sleep(0)
        return "always"

    policy = Policy(approver=approve)
    assert run(policy).success
    assert len(policy.remembered) == 1
    assert run(Policy(approver=lambda request: approve(request))).success


def test_the_request_says_everything() -> None:
    approver = Approver("yes")
    assert run(Policy(approver=approver)).success
    (request,) = approver.asked
    assert (request.tool, request.permission, request.summary) == ("edit", "write", EDIT.summary)
    assert request.params.file_path == "/src/a.py"
    assert str(request.shape) == 'edit with file_path = "/src/a.py", new_string = "y", old_string = "x"'


def test_always_is_remembered_and_reported() -> None:
    watch, policy = Watch(), Policy(approver=Approver("always", "no"))
    registry = registry_with(policy, hooks=watch)
    for _ in range(2):
        assert asyncio.run(registry.execute("edit", GOOD)).success
    approved = [event for event in watch.events if type(event).__name__ == "Approved"]
    assert [(event.by, bool(event.remembered)) for event in approved] == [
        ("approver", True),
        ("session", False),
    ]
    assert approved[0].remembered == str(policy.remembered[0])
    policy.forget()
    assert not asyncio.run(registry.execute("edit", GOOD)).success


def test_always_ends_where_the_tool_is_replaced() -> None:
    """The answer was for another tool of that name; what was said of other tools stays."""
    approver = Approver("always", "always", "always", "no")
    policy = Policy(approver=approver)
    registry = registry_with(policy)
    registry.register(like(name="other"), lambda params, context: "done")
    for name in ("edit", "other"):
        assert asyncio.run(registry.execute(name, GOOD)).success
    registry.replace(like(), lambda params, context: "another")
    assert [shape.tool for shape in policy.remembered] == ["other"]
    for name in ("edit", "edit", "other"):
        assert asyncio.run(registry.execute(name, GOOD)).success
    assert len(approver.asked) == 3


@pytest.mark.parametrize("as_async", [False, True])
@pytest.mark.parametrize("during", ["question", "precheck"])
def test_always_for_a_call_of_the_tool_before_is_not_remembered(as_async: bool, during: str) -> None:
    policy = Policy(approver=lambda request: answer_async() if as_async else answer())
    registry = ToolRegistry(check_results=False, policy=policy)

    class Handler:
        def precheck(self, params: Any, context: Any) -> None:
            if during == "precheck":
                registry.replace(like(), Handler())

        def __call__(self, params: Any, context: Any) -> str:
            return "done"

    def answer() -> str:
        if during == "question":
            registry.replace(like(), Handler())
        return "always"

    async def answer_async() -> str:
        return answer()

    registry.register(like(), Handler())
    assert asyncio.run(registry.execute("edit", GOOD)).success
    assert policy.remembered == ()


def test_what_is_forgotten_may_be_one_tool() -> None:
    policy = Policy(approver=Approver("always", "always"))
    assert run(policy).success
    assert run(policy, like(name="other")).success
    policy.forget("edit")
    assert [shape.tool for shape in policy.remembered] == ["other"]
    policy.forget()
    assert policy.remembered == ()


SHAPES: Any = {"edit": {"file_path": "folder", "new_string": "any"}}


@pytest.mark.parametrize(
    ("changed", "covered"),
    [
        ({}, True),
        ({"new_string": "other"}, True),
        ({"file_path": "/src/b.py"}, True),
        ({"file_path": "/src/deep/er/b.py"}, True),
        ({"file_path": "/src/./b.py"}, True),
        ({"old_string": "other"}, False),
        ({"line": 3}, False),
        ({"file_path": "/srcx/a.py"}, False),
        ({"file_path": "/a.py"}, False),
        ({"file_path": "/src/../etc/passwd"}, False),
        ({"file_path": "/src/.."}, False),
        ({"file_path": "src/a.py"}, False),
        ({"file_path": "/SRC/a.py"}, False),
        ({"file_path": "//etc/a.py"}, False),
    ],
)
def test_always_covers_its_shape_and_no_more(changed: Any, covered: bool) -> None:
    approver = Approver("always", "no")
    policy = Policy(approver=approver, shapes=SHAPES)
    assert run(policy).success
    assert str(policy.remembered[0]) == 'edit with file_path in "/src/", any new_string, old_string = "x"'
    assert run(policy, **changed).success is covered
    assert len(approver.asked) == (1 if covered else 2)


COMMAND: dict[str, Any] = {"command": "make test"}


def run_bash(policy: Policy, **changed: Any) -> ToolResult:
    registry = ToolRegistry(policy=policy, check_results=False)
    registry.register(BASH, lambda params, context: "done")
    return asyncio.run(registry.execute("bash", {**COMMAND, **changed}))


@pytest.mark.parametrize(
    ("first", "then", "covered"),
    [
        ({}, {"description": "Run the tests"}, True),
        ({"description": "Run the tests"}, {}, True),
        ({"description": "Run the tests"}, {"description": "Run them again"}, True),
        ({}, {"timeout": 5}, True),
        ({"timeout": 300}, {}, True),
        ({"timeout": 300}, {"timeout": 5}, True),
        ({}, {"env": {}, "run_in_background": False}, True),
        ({"env": {}}, {}, True),
        ({}, {"env": {"A": "1"}}, False),
        ({"env": {"A": "1"}}, {}, False),
        ({"env": {"A": "1"}}, {"env": {"A": "2"}}, False),
        ({}, {"run_in_background": True}, False),
        ({"run_in_background": True}, {}, False),
        ({}, {"command": "make  test"}, False),
    ],
)
def test_always_covers_the_same_command(first: Any, then: Any, covered: bool) -> None:
    approver = Approver("always", "no")
    policy = Policy(approver=approver, shapes={"bash": {"timeout": "any"}})
    assert run_bash(policy, **first).success
    assert "description" not in str(policy.remembered[0])
    assert "any timeout" in str(policy.remembered[0])
    assert run_bash(policy, **then).success is covered


def test_the_policy_may_count_the_words_after_all() -> None:
    approver = Approver("always", "no")
    policy = Policy(approver=approver, shapes={"bash": {"description": "exact"}})
    assert run_bash(policy, description="a").success
    assert not run_bash(policy, description="b").success


CALLS = st.fixed_dictionaries(
    {"command": st.sampled_from(["ls", "ls "])},
    optional={
        "description": st.sampled_from(["", "a", "b"]),
        "timeout": st.sampled_from([1, 60, 120, 120.0, 600]),
        "run_in_background": st.booleans(),
        "env": st.dictionaries(st.sampled_from(["A", "B"]), st.sampled_from(["", "1"]), max_size=2),
    },
)


@given(approved=CALLS, later=CALLS, free=st.booleans())
def test_always_never_covers_a_call_that_does_something_else(approved: Any, later: Any, free: bool) -> None:
    """The judge is what the handler sees: the parameters with their defaults filled in."""
    freedoms: Any = {"timeout": "any"} if free else {}
    one, other = BASH.decode(approved), BASH.decode(later)
    same = all(
        getattr(one, name) == getattr(other, name)
        for name in one.__struct_fields__
        if name != "description" and not (free and name == "timeout")
    )
    assert shape_of(BASH, one, freedoms).covers(shape_of(BASH, other, freedoms)) is same


def test_the_request_has_the_words_of_the_model() -> None:
    approver = Approver("yes", "yes")
    policy = Policy(approver=approver)
    assert run_bash(policy, description="Run the tests").success
    assert run_bash(policy).success
    assert [request.words for request in approver.asked] == ["Run the tests", ""]


def test_always_asked_means_asked_always() -> None:
    approver = Approver("always", "always", "no")
    policy = Policy(always_ask=["edit"], approver=approver)
    assert [run(policy).success for _ in range(3)] == [True, True, False]
    assert policy.remembered == ()
    assert approver.asked[0].shape is None


def test_equal_numbers_and_booleans_are_not_the_same_shape() -> None:
    from tests.runtime.sample.misc.note import NOTE

    one, true = (shape_of(NOTE, NOTE.decode({"v": value}), {}) for value in (1, True))
    assert not one.covers(true)
    deep, other = (
        shape_of(NOTE, NOTE.decode({"v": value}), {}) for value in ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    )
    assert deep.covers(other)


def test_questions_come_one_at_a_time_and_an_answer_settles_those_that_wait() -> None:
    inside, most, asked = [0], [0], [0]

    def approve(request: Any) -> str:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        asked[0] += 1
        time.sleep(0.02)
        inside[0] -= 1
        return "always"

    registry = registry_with(Policy(approver=approve))

    async def many() -> list[ToolResult]:
        return await asyncio.gather(*[registry.execute("edit", GOOD) for _ in range(6)])

    assert all(result.success for result in asyncio.run(many()))
    assert (most, asked) == ([1], [1])


def test_a_cancelled_call_is_not_asked_for() -> None:
    approver = Approver("yes")
    free = threading.Event()

    def approve(request: Any) -> Any:
        free.wait(5)
        return approver(request)

    registry = registry_with(Policy(approver=approve))

    async def both() -> None:
        first = asyncio.create_task(registry.execute("edit", GOOD))
        await asyncio.sleep(0.02)
        second = asyncio.create_task(registry.execute("edit", {**GOOD, "old_string": "z"}))
        await asyncio.sleep(0.02)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        free.set()
        assert (await first).success

    asyncio.run(both())
    assert len(approver.asked) == 1


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_rate_limits_deny_and_say_when() -> None:
    clock = Clock()
    policy = Policy("full", rate_limits={"edit": RateLimit(2, 10.0)}, clock=clock)
    registry = registry_with(policy)

    def call() -> ToolResult:
        return asyncio.run(registry.execute("edit", GOOD))

    assert [call().success for _ in range(3)] == [True, True, False]
    assert "2 calls in 10 s are allowed. Call it again in 5.0 s" in call().error
    clock.now += 4.9
    assert not call().success
    clock.now += 0.1
    assert [call().success for _ in range(2)] == [True, False]
    clock.now -= 1000  # a clock that goes back gives nothing away
    assert not call().success
    clock.now += 2000
    assert [call().success for _ in range(3)] == [True, True, False]


def test_each_tool_has_a_limit_of_its_own() -> None:
    policy = Policy("full", rate_limits={"*": RateLimit(1, 60)}, clock=Clock())
    assert [run(policy, like(name=name)).success for name in ("a", "b", "a")] == [True, True, False]


def test_all_tools_together_have_a_limit_beside_those_of_each() -> None:
    clock = Clock()
    policy = Policy(
        "full", rate_limits={"a": RateLimit(1, 60)}, total_limit=RateLimit(3, 60.0, burst=3), clock=clock
    )

    def call(name: str) -> str:
        return run(policy, like(name=name)).error.partition(".")[0]

    assert call("a") == ""
    # A call past the limit of its tool takes nothing of the limit of all.
    assert {call("a") for _ in range(5)} == {"Tool 'a' was called too often: 1 calls in 60 s are allowed"}
    assert [call("b"), call("c")] == ["", ""]
    assert call("d") == "All tools together were called too often: 3 calls in 60 s are allowed"
    clock.now += 60
    assert [call(name) for name in "bbb"] == ["", "", ""]
    # A call past the limit of all takes nothing of its tool's.
    assert call("a").startswith("All tools")
    clock.now += 20
    assert call("a") == ""


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ({"total_limit": RateLimit(1)}, "All tools together"),
        ({"rate_limits": {"*": RateLimit(1)}}, "Tool 'edit'"),
    ],
)
def test_what_the_rules_deny_takes_nothing_of_a_limit(limit: Any, words: str) -> None:
    policy = Policy("read_only", clock=Clock(), **limit)
    for _ in range(3):
        assert "only tools that read" in run(policy).error
    assert run(policy, like("read")).success
    assert f"{words} w" in run(policy, like("read")).error


def test_a_limit_is_asked_before_a_person() -> None:
    approver = Approver("no", "no")
    policy = Policy(approver=approver, rate_limits={"edit": RateLimit(1)}, clock=Clock())
    assert "not approved" in run(policy).error
    assert "too often" in run(policy).error
    assert len(approver.asked) == 1


class Prechecked:
    """A handler whose precheck looks at something."""

    def __init__(self) -> None:
        self.looked = 0

    def precheck(self, params: Any, context: Any) -> None:
        self.looked += 1

    def __call__(self, params: Any, context: Any) -> str:
        return "done"


@pytest.mark.parametrize(
    "policy",
    [
        Policy("read_only"),
        Policy(),
        Policy(always_ask=["edit"], auto_approve=["edit"]),
        Policy("full", rate_limits={"edit": RateLimit(1, 1000)}),
    ],
)
def test_a_call_that_may_not_run_resolves_no_secret_and_runs_no_precheck(policy: Policy) -> None:
    """A model under a policy that denies would learn which secrets there are, and what a precheck sees."""
    resolved: list[str] = []

    def resolve(name: str) -> str | None:
        resolved.append(name)
        return "hunter2222" if name == "THERE" else None

    handler, binding = Prechecked(), msgspec.structs.replace(like(), secrets=("new_string",))
    registry = ToolRegistry(check_results=False, policy=policy, secrets=resolve)
    registry.register(binding, handler)
    if policy.autonomy == "full":
        assert asyncio.run(registry.execute("edit", GOOD)).success
        handler.looked = 0
    errors = {
        asyncio.run(
            registry.execute("edit", {**GOOD, "new_string": f"<secret_ref:{name}>", "file_path": path})
        ).error.partition(" again in ")[0]
        for name in ("THERE", "NOT_THERE")
        for path in ("/a", "<secret_ref:THERE>")
    }
    assert len(errors) == 1
    assert "secret" not in errors.pop()
    assert resolved == []
    assert handler.looked == 0


@given(
    calls=st.integers(1, 5),
    seconds=st.floats(0.5, 100),
    burst=st.none() | st.integers(1, 8),
    steps=st.lists(st.floats(0, 20), max_size=40),
)
def test_a_bucket_never_gives_more_than_its_pace(
    calls: int, seconds: float, burst: int | None, steps: list[float]
) -> None:
    limit = RateLimit(calls, seconds, burst)
    bucket, now, given_at = Bucket(limit, 0.0), 0.0, []
    for step in steps:
        now += step
        wait = bucket.take(now)
        if wait == 0:
            given_at.append(now)
        else:
            assert wait <= seconds / calls + 1e-6
    capacity = calls if burst is None else burst
    for first, last in itertools.combinations(range(len(given_at)), 2):
        passed = given_at[last] - given_at[first]
        assert last - first + 1 <= capacity + passed * calls / seconds + 1e-6


def test_threads_share_a_bucket() -> None:
    bucket, taken = Bucket(RateLimit(100), 0.0), []

    def take() -> None:
        taken.extend(bucket.take(0.0) for _ in range(100))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken.count(0.0) == 100


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Policy("none"), "autonomy"),  # type: ignore[arg-type]
        (lambda: Policy(always_ask="edit"), "always_ask"),
        (lambda: Policy(shapes={"edit": {"a": "some"}}), "edit.a"),  # type: ignore[dict-item]
        (lambda: Policy(asks="write"), "asks"),
        (lambda: Policy(asks=["admin"]), "'admin' is no permission"),  # type: ignore[list-item]
        (lambda: RateLimit(0), "at least one"),
        (lambda: RateLimit(1, 0), "at least one"),
        (lambda: RateLimit(1, 1, 0), "at least one"),
    ],
)
def test_a_policy_that_says_nothing_is_refused(make: Any, word: str) -> None:
    with pytest.raises((ValueError, TypeError), match=word):
        make()
