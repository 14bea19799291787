"""The classes of deviation from oh-my-pi's normalisers, each a rule with its reason. Order matters: what
changes the form of a node comes before what compares its keywords."""

from __future__ import annotations

from . import encoded, forms, keywords, types
from .compare import Deviation

CLASSES: tuple[Deviation, ...] = (
    Deviation("any value", "Any value stays any value, in the form that the provider knows.", forms.anything),
    Deviation(
        "no value",
        "A schema that takes nothing forbids the property instead of describing `not`.",
        forms.nothing,
    ),
    Deviation(
        "maps, tuples and values in another form",
        "Sent exactly, as pairs, numbered properties or JSON text, and undone; theirs loses the values.",
        encoded.encodings,
    ),
    Deviation(
        "literals as strings",
        "Only strings may be listed: others are sent as strings and undone; theirs are refused or lost.",
        encoded.literals,
    ),
    Deviation(
        "further keys as pairs",
        "Undeclared keys beside declared ones go under one property and are undone; theirs are lost.",
        encoded.undeclared,
    ),
    Deviation(
        "renamed properties",
        "The provider refuses the name; another stands for it and is undone.",
        encoded.renamed,
    ),
    Deviation("root union as one object", "The provider refuses unions at the root.", forms.root_union),
    Deviation("theirs gives up", "Theirs leaves a tool without any parameter.", forms.given_up),
    Deviation(
        "recursion ends",
        "References written out end somewhere, and the description says where.",
        forms.recursion_ends,
    ),
    Deviation("null is a type", "The provider knows the type null.", types.null_type),
    Deviation(
        "null by leaving out",
        "The provider knows no null; absence means it and is undone.",
        types.null_left_out,
    ),
    Deviation(
        "references kept",
        "The provider takes `$ref`; copies cost tokens and end recursion.",
        forms.references,
    ),
    Deviation("definitions kept", "The provider takes `$defs`.", forms.definitions),
    Deviation(
        "references inlined", "The provider loses `$ref`, or refuses keywords beside it.", forms.inlined
    ),
    Deviation("unused definitions left out", "Nothing refers to them any more.", forms.their_definitions),
    Deviation(
        "references to definitions",
        "Anchors and other pointers are raised to `#/$defs/…`.",
        forms.renamed_references,
    ),
    Deviation("anyOf for oneOf", "The provider reads `oneOf` as `anyOf`, refuses or loses it.", forms.one_of),
    Deviation("enum for const", "The provider loses `const`.", forms.constants_listed),
    Deviation("const kept", "The provider takes `const`.", forms.constants),
    Deviation(
        "tuples widened",
        "The provider loses positions; every item may be any of them, in words.",
        encoded.tuples,
    ),
    Deviation(
        "all types of a list",
        "Theirs keeps the first type of a list and locks the others out.",
        types.split_types,
    ),
    Deviation("null kept", "Null is a value; theirs has lost it.", types.null_lost),
    Deviation("list of types", "One list of types for a union of types; the same values.", types.type_lists),
    Deviation(
        "null among the types", "The provider takes a list of types; the same values.", types.null_in_types
    ),
    Deviation("one union with null", "A union inside a union is one union.", types.null_at_once),
    Deviation(
        "allOf merged",
        "One schema says what all of them say; theirs leaves parts that are refused or lost.",
        forms.merged,
    ),
    Deviation(
        "no propertyOrdering", "Properties stand in the order of the input; JSON keeps it.", keywords.ordering
    ),
    Deviation("order of required", "Ours follows the input or the properties.", keywords.required_order),
    Deviation("empty required", "`required: []` says nothing.", keywords.empty_required),
    Deviation(
        "other words", "What is stated in words is a sentence, not a list of keywords.", keywords.described
    ),
    Deviation("{} and true", "Two spellings of one schema.", keywords.same_openness),
    Deviation("draft named", "What is raised to 2020-12 says that it is.", keywords.draft_named),
    Deviation(
        "open said",
        "The provider reads an object as closed that does not say it is open.",
        keywords.open_said,
    ),
    Deviation("items stated", "The provider refuses arrays without `items`.", keywords.items_stated),
    Deviation(
        "properties stated",
        "The provider refuses, or reads differently, objects without `properties`.",
        keywords.properties_stated,
    ),
    Deviation(
        "required keys declared",
        "The provider refuses names in `required` that are no property.",
        forms.required_declared,
    ),
    Deviation(
        "exclusive bounds",
        "Without a word for them: the inclusive bound, and the rest in words.",
        keywords.inclusive,
    ),
    Deviation("open stays open", "Theirs forbids keys that the input takes.", keywords.open_stays_open),
    Deviation(
        "keys of lost patterns",
        "Where a pattern of keys is stated in words, its keys stay allowed; theirs forbids them.",
        keywords.lost_patterns,
    ),
    Deviation(
        "type of literals", "A type beside literals says nothing new; 5 is an integer.", types.number_type
    ),
    Deviation(
        "type stated", "The type follows from the values; the provider asks for it.", types.type_stated
    ),
    Deviation("kept", "The provider takes the keyword; theirs drops it or says it in words.", keywords.kept),
    Deviation(
        "refused or ignored as theirs has it",
        "The provider's rules refuse the keyword there, or do not enforce it.",
        keywords.refused,
    ),
    Deviation("theirs is bare", "Theirs says no more than a type where the input says more.", forms.bare),
    Deviation(
        "titles left out",
        "A title that repeats a name costs tokens and tells a model nothing; the ledger has it.",
        keywords.repeated_title,
    ),
    Deviation("said in words", "The provider does not enforce it; the ledger has it.", keywords.in_words),
)
