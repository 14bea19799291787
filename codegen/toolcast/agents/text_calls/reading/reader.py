"""Reads the calls of a text once, from left to right, as it arrives. Executes nothing."""

import re

from ....runtime.wire.fragments import MAX_CALLS
from ..parsed_text import (
    ArgumentsPiece,
    BrokenError,
    Call,
    CallBegun,
    Discarded,
    Event,
    Found,
    Problem,
    Prose,
)
from . import contents, json_calls
from .containers import Containers, Following
from .feed import (
    JSON,
    PYTHON,
    Ends,
    Feed,
    Reading,
    ahead,
    balanced,
    between,
    match,
    next_character,
    skip_space,
    until,
)
from .grammar import Candidate, Candidates, Grammar, MarkerSearch, ReadyCall
from .literal_calls import read_path

_CUT = "the answer was cut off inside this call: send the call again, whole"
_SHOW_THEIR_END = ("json-calls", "json-arguments", "python", "braces")
"""Contents that end with a bracket, so that a missing closing marker leaves nothing unread."""
_EXAMPLE = "a block of Markdown beside other text may be an example: write calls, and nothing else"
_SHOWN = "the call may be part of what is shown before it: leave an empty line, and close code and elements"
_BESIDE = "words stand behind a call without marks: write calls, and nothing else"
_OF_CALLS = (CallBegun, ArgumentsPiece, Call)
_LINE_END = Ends(["\n"])
_NOTHING = Ends(())
_GOES_ON = Ends(["`", *(f"{blank}{sign}" for blank in ("", " ") for sign in ',:"}]{[')])
"""Beginnings of text behind a bracket that was not the last one of a value, or not meant to be."""
_REST = "Nothing after it was read: write the calls that followed it again, too"


class Reader:
    def __init__(
        self,
        grammar: Grammar,
        *,
        in_thought: bool = False,
        in_fences: bool = False,
        in_code: bool = False,
    ) -> None:
        self.feed = Feed()
        self.cut = False
        self._grammar = grammar
        self._search = MarkerSearch(grammar.literals)
        self._calls = 0
        self._start = 0  # offset of the block that is read
        self._begun = False  # whether there was any prose or call
        self._tried = -1  # offset at which calls that begin a text were looked for
        self._data_end = 0  # offset behind JSON that begins the text, and is not calls alone
        self._after_call = False  # whether a call was read last
        self._marked = False  # whether a call with its marks was read
        self._open = False  # whether a marker of calls was read as prose, because nothing closes it
        self._last = "\n"  # the last character of prose
        self._following = Following()
        self._containers = Containers(self._following)
        self._rest_seen = False  # whether the rest was read for calls in indented code
        self._example = -1  # offset of a call in a block of Markdown beside other text
        self._section: Candidate | None = None
        self._in_section = 0  # calls when the section began
        self._absent: set[Ends] = set()  # what does not come any more in the text
        self._in_thought = in_thought  # whether the text is the rest of a thought: none begins in it
        self._in_fences = in_fences  # whether calls in blocks of Markdown are read
        self._in_code = in_code  # whether calls in indented code are read

    def read(self) -> Reading[None]:
        """Give all events of the text. After a problem the rest is read over."""
        feed = self.feed
        try:
            while (yield from self._step()):
                pass
        except BrokenError as problem:
            reason = _CUT if self.cut else f"{problem}. {_REST}"  # a cut that decided is known by then
            yield Problem(start=self._start, end=feed.offset, reason=reason)
            while not feed.final:
                feed.at = len(feed.text)
                yield None
            feed.at = len(feed.text)

    def _step(self) -> Reading[bool]:
        """Read up to the next candidates, and what they are; False at the end of the text."""
        feed = self.feed
        if self._may_start() and (yield from self._at_start()):
            return True
        found = self._search.next(feed)
        stop, literals = len(feed.text), self._grammar.literals
        if not feed.final and (found is None or stop - found[0] <= literals.longest):
            stop -= literals.held(feed.text, feed.at)
        if found is None or stop < found[0]:  # what was found may be part of a marker that begins before it
            yield from self._prose(stop)
            if feed.final:
                self._check_end()
                return False
            yield None
            return True
        at, literal = found
        yield from self._prose(at)
        self._start = feed.offset
        if self._section is None and (yield from self._is_shown(literal)):
            if (yield from self._indented(literal)):
                return True
            yield from self._as_prose(self._shown(literal))
            return True
        candidates = self._grammar.candidates[literal]
        for candidate in candidates.matching(feed):
            if self._fits(candidate):
                marker = yield from match(feed, candidate.pattern)
                if marker is not None and (yield from self._candidate(candidate, marker)):
                    return True
        yield from self._unread(candidates, literal)
        return True

    def _prose(self, stop: int) -> Reading[None]:
        """Pass on the text before `stop`. Raises BrokenError for words where only calls may stand."""
        text = self.feed.text[self.feed.at : stop]
        if not text:
            return
        ink = text.rstrip()
        if ink:
            if self._section is not None:
                self.feed.at += len(text) - len(text.lstrip())
                self._start = self.feed.offset
                raise BrokenError("words stand where only calls may stand")
            self._begun, self._after_call = True, False
        self._last = text[-1]
        self.feed.at = stop
        if self._section is None:
            self._containers.add(text)
            yield Prose(text)

    def _is_shown(self, literal: str) -> Reading[bool]:
        """Tell whether a marker begins nothing, since a container holds it or it is a block of Markdown."""
        feed, candidates = self.feed, self._grammar.candidates[literal]
        if not self._in_fences and candidates.fence:
            for one in candidates.matching(feed) if self._last == "\n" else ():
                if one.kind != "section-end" and (yield from match(feed, one.pattern)):
                    self._example = feed.offset
            return True
        code = not self._in_code and not (candidates.ends_thought and candidates.has_token)
        return (yield from self._containers.hide(feed, code=code, thought=candidates.ends_thought))

    def _shown(self, literal: str) -> str:
        """Read a marker that begins nothing; of Markdown, with those that follow it at once."""
        feed, begun = self.feed, self.feed.at
        candidates = self._grammar.candidates[literal]
        feed.at += len(literal)
        if not self._in_fences and candidates.fence:
            feed.at = candidates.again(feed)
        feed.steps += feed.at - begun - len(literal)
        return feed.text[begun : feed.at]

    def _indented(self, literal: str) -> Reading[bool]:
        """Read calls in indented code where nothing else follows: servers indent whole answers. False, with
        nothing read, for any other rest.
        """
        tokens = self._grammar.candidates[literal].has_token
        if self._in_code or self._rest_seen or not tokens or not self._containers.is_indented:
            return False
        self._rest_seen = True
        return (yield from self._only_calls(Reader(self._grammar, in_code=True)))

    def _as_prose(self, literal: str) -> Reading[None]:
        self._begun, self._after_call, self._last = True, False, literal[-1]
        self._containers.add(literal)
        yield Prose(literal)

    def _check_end(self) -> None:
        """Raise BrokenError where a section without a call is open, or all calls are blocks of Markdown."""
        if self._section is not None and (self.cut or self._calls == self._in_section):
            raise BrokenError("the calls that begin here have no end")
        if self._example >= 0 and not self._calls:
            self._start = self._example
            raise BrokenError(_EXAMPLE)

    def _fits(self, candidate: Candidate) -> bool:
        """Tell whether the candidate may begin at this place."""
        if candidate.call is not None and candidate.call.form.bare:  # an echo, where the marks are written
            return not self._marked
        if candidate.kind == "section-end":  # elsewhere it is prose
            return self._section is not None or self._after_call
        return candidate.kind != "thought" or not self._in_thought

    def _candidate(self, candidate: Candidate, marker: re.Match[str]) -> Reading[bool]:
        """Read what begins here; False where it is prose, or another candidate's, after all."""
        feed = self.feed
        if candidate.call is not None:
            return (yield from self._call(candidate.call, marker))
        feed.at += len(marker[0])
        if candidate.kind == "section":
            self._section, self._in_section = candidate, self._calls
        elif candidate.kind == "section-end":
            self._section = None
        elif candidate.kind == "thought":
            yield from self._thought(candidate)
        elif candidate.kind == "thought-end":  # the beginning stood in the prompt
            self._calls, self._begun, self._last = 0, False, "\n"
            self._open, self._example, self._containers = False, -1, Containers(self._following)
            yield Discarded()
        elif candidate.kind == "dropped":  # a message may begin behind it
            self._containers = Containers(self._following)
        elif candidate.kind == "result":  # an echo: what it holds is a tool's, not the model's
            yield Prose(marker[0])
            self._begun = True
            yield from until(feed, candidate.close, Prose, keep=False)
        elif candidate.kind == "end" and not self._calls:
            feed.at -= len(marker[0])
            return False
        return True

    def _thought(self, candidate: Candidate) -> Reading[None]:
        """Read over a thought.

        The calls of one that has no end count where its format says so and nothing else follows. Raises
        BrokenError for others.
        """
        feed = self.feed
        ends = candidate.inner or candidate.close
        yield from until(feed, ends, keep=False)
        close = candidate.close.at(feed.text, feed.at)
        if not close and ends.at(feed.text, feed.at):
            self._start = feed.offset
            rest, _ = yield from until(feed, candidate.close)
            close = candidate.close.at(feed.text, feed.at)
            if not close:
                feed.at = len(feed.text)
                yield from self._calls_in_thought(rest, candidate)
        feed.at = feed.at + len(close) if close else len(feed.text)

    def _calls_in_thought(self, rest: str, thought: Candidate) -> Reading[None]:
        events = self._inner(Reader(self._grammar, in_thought=True), rest)
        calls = sum(isinstance(event, Call) for event in events)
        if not calls and not any(isinstance(event, Problem) for event in events):
            return  # the thought only mentions the marker
        only = all(isinstance(event, _OF_CALLS) or _is_blank(event) for event in events)
        if self.cut or not thought.calls or not only:
            raise BrokenError("a call stands in a thought that has no end: end it before the call")
        self._calls, self._begun = self._calls + calls, True
        yield from events

    def _inner(self, reader: "Reader", rest: str) -> list[Event]:
        """Read the rest of the text with a reader of its own."""
        reader.feed.push(rest)
        reader.feed.base, reader.feed.final, reader.cut = self._start, True, self.cut
        events = [event for event in reader.read() if event is not None]
        self.feed.steps += reader.feed.steps
        return events

    def _fences(self) -> Reading[bool]:
        """Read an answer of nothing but calls in blocks of Markdown; False, with nothing read, for others."""
        feed = self.feed
        for candidate in self._grammar.fences:
            if (yield from match(feed, candidate.pattern)) is not None or (
                candidate.mark != "word" and feed.text.startswith(candidate.pattern.literal, feed.at)
            ):
                break
        else:
            return False
        self._start = feed.offset
        return (yield from self._only_calls(Reader(self._grammar, in_fences=True)))

    def _only_calls(self, reader: "Reader") -> Reading[bool]:
        """Read the rest as nothing but calls, with another reader; False, with nothing read, for others."""
        rest, _ = yield from until(self.feed, _NOTHING)
        events = self._inner(reader, rest)
        if not all(isinstance(event, (*_OF_CALLS, Problem)) or _is_blank(event) for event in events):
            self.feed.put_back(rest)
            return False
        self._calls += sum(isinstance(event, Call) for event in events)
        yield from events
        return True

    def _call(self, ready: ReadyCall, marker: re.Match[str]) -> Reading[bool]:
        """Read the calls of a block. Raises BrokenError for a block that cannot be read."""
        feed, form = self.feed, ready.form
        text = "" if form.peek else marker[0]
        name, id = _name_and_id(marker, form.id)
        feed.at += len(text)
        if form.content in ("elements", "words"):
            if ready.ends in self._absent:
                feed.at -= len(text)
                return False
            body, ended = yield from self._until(ready.ends)
            ended = ended and bool(ready.close.at(feed.text, feed.at))
            read = contents.read_closed(ready, body, name, id)
            if not ended and contents.is_begun(ready, body, read):
                raise BrokenError("the call has no end")
            if read is None or not ended:
                if form.content == "words" and ended and form.mark != "word":
                    raise BrokenError("the call is in none of the known forms")
                feed.put_back(text + body)
                return False
            found = read
        else:
            found = yield from contents.CONTENTS[form.content](feed, ready, name, id)
            while (another := (yield from self._another(ready))) is not None:
                feed.at += len(another[0])
                found += yield from contents.CONTENTS[form.content](
                    feed, ready, *_name_and_id(another, form.id)
                )
        yield from self._close(ready)
        if (yield from self._containers.doubt(feed)):
            raise BrokenError(_SHOWN)
        if self._calls + len(found) > MAX_CALLS:
            raise BrokenError(f"more than {MAX_CALLS} calls at once")
        yield from self._tell(found, ready)
        return True

    def _until(self, ends: Ends) -> Reading[tuple[str, bool]]:
        """Read to the first of `ends`. One that does not come is not looked for again."""
        body, ended = yield from until(self.feed, ends)
        if not ended:
            self._absent.add(ends)
        return body, ended

    def _tell(self, found: list[Found], ready: ReadyCall) -> Reading[None]:
        feed = self.feed
        if self._open:
            raise BrokenError("a marker before the call has no end, and may enclose it")
        for one in found:
            self._calls += 1
            yield Call(
                name=one.name,
                arguments=one.arguments,
                id=one.id,
                start=self._start,
                end=feed.offset,
                format=ready.format,
                textual=one.textual,
            )
        self._begun = self._after_call = True
        self._marked |= not ready.form.bare

    def _another(self, ready: ReadyCall) -> Reading[re.Match[str] | None]:
        """Match what begins another call before the closing marker."""
        if ready.again:
            yield from skip_space(self.feed)
        for pattern in ready.again:
            marker = yield from match(self.feed, pattern)
            if marker is not None:
                return marker
        return None

    def _close(self, ready: ReadyCall) -> Reading[None]:
        """Read the closing marker. Raises BrokenError where it is missing and the call may go on."""
        feed, form = self.feed, ready.form
        if not form.close:
            goes_on = yield from ahead(feed, _GOES_ON)
            if goes_on and not (yield from ahead(feed, self._grammar.literals)):
                raise BrokenError("the call goes on behind its last bracket")
            return
        following = yield from skip_space(feed)
        close = yield from ahead(feed, ready.close)
        if close:
            feed.at += len(close)
            return
        if (yield from ahead(feed, ready.outer)):
            return
        shown = form.content in _SHOW_THEIR_END and not form.exact
        if not (
            shown and (not self.cut if following == "" else (yield from ahead(feed, self._grammar.literals)))
        ):
            raise BrokenError("the call has no end")

    def _may_start(self) -> bool:
        """Tell whether the text begins here, but for thoughts, and was not looked at yet."""
        return not self._begun and self._grammar.may_start and self._tried != self.feed.offset

    def _at_start(self) -> Reading[bool]:
        """Read calls that are the whole text, or begin it; False where there are none."""
        feed = self.feed
        self._start = feed.offset
        first = yield from skip_space(feed)
        lead = yield from ahead(feed, self._grammar.leads)
        if lead:
            feed.at += len(lead)
            first = yield from skip_space(feed)
        if first == "`" and not self._in_fences and (yield from self._fences()):
            return True
        for candidate in self._grammar.starts:
            ready = candidate.call
            if ready is None or not first.startswith(candidate.pattern.literal[:1]):
                continue
            marker = yield from match(feed, candidate.pattern)
            if marker is None:
                continue
            if ready.form.place == "start":
                return (yield from self._call(ready, marker))
            if (yield from (self._lines if ready.form.content == "words" else self._whole)(ready)):
                return True
        if feed.offset < self._data_end:  # what stands in its strings is no markup
            yield from self._prose(self._data_end - feed.base)
            return True
        self._tried = feed.offset
        return False

    def _whole(self, ready: ReadyCall) -> Reading[bool]:
        """Read a text of nothing but calls; False, with nothing read, for any other."""
        feed = self.feed
        start = feed.offset
        pieces: list[str] = []
        found: list[Found] = []
        syntax = JSON if ready.form.content == "json-calls" else PYTHON
        while (yield from next_character(feed)):
            text, ended = yield from balanced(feed, syntax)
            pieces.append(text)
            calls = contents.read_bare(ready, text) if ended else None
            if not calls:
                if contents.has_head(ready, text) and not json_calls.is_json(text):
                    raise BrokenError("the JSON of the call is broken or has no end")
                if found and ready.form.bare and ready.form.content == "json-calls":
                    raise BrokenError(_BESIDE)
                if ready.form.content == "json-calls" and not self._grammar.peeks:
                    data = pieces if ended and json_calls.is_json(text) else pieces[:-1]
                    self._data_end = max(self._data_end, start + len("".join(data)))
                feed.put_back("".join(pieces))
                return False
            found += calls
            pieces.append((yield from between(feed)))
            while end := (yield from ahead(feed, self._grammar.ends)):
                feed.at += len(end)
                pieces += [end, (yield from between(feed))]
        words = json_calls.content(pieces[0])
        if words:
            yield Prose(words)
        self._start = start
        yield from self._tell(found, ready)
        return True

    def _lines(self, ready: ReadyCall) -> Reading[bool]:
        """Read a text of nothing but lines that are calls; False, with nothing read, for any other."""
        feed = self.feed
        self._start = feed.offset
        lines: list[str] = []
        found: list[Found] = []
        while (yield from next_character(feed)):
            line, ended = yield from until(feed, _LINE_END)
            feed.at += ended
            lines.append(line + "\n" * ended)
            call = read_path(line.strip())
            if call is not None:
                found.append(call)
            elif line.strip():
                feed.put_back("".join(lines))
                return False
        yield from self._tell(found, ready)
        return True

    def _unread(self, candidates: Candidates, literal: str) -> Reading[None]:
        """Read a marker in no known form as prose. Raises BrokenError where it must begin a call."""
        feed = self.feed
        calls = candidates.begun(feed)
        literal = max((literal, calls.literal), key=len)
        if "token" in calls.marks or self._section is not None:
            raise BrokenError("the call is in none of the known forms")
        start, feed.at = feed.at, feed.at + len(literal)
        if "tag" in calls.marks:
            near = len(feed.text) - start <= candidates.longest
            if feed.final and (
                self.cut or (near and any(one.pattern.begun(feed.text, start) for one in calls.several))
            ):
                feed.at = len(feed.text)
                raise BrokenError("the call has no end")
            for alike in calls.alike if calls.closes - self._absent else ():
                left = [each for each in alike if each not in self._absent]
                if left:
                    body, ended = yield from self._until(left[0])
                    if ended:
                        raise BrokenError("the call is in none of the known forms")
                    feed.put_back(body)
                    self._absent.update(left)
            self._open = True
        yield from self._as_prose(literal)


def _name_and_id(marker: re.Match[str], template: str) -> tuple[str, str]:
    holes = {"name": "", "id": "", "number": "", **marker.groupdict("")}
    return holes["name"], holes["id"] or template.format_map(holes)


def _is_blank(event: Event) -> bool:
    return isinstance(event, Prose) and not event.text.strip()
