"""Kinds of files: households, product lines, registers against listings and fifty others.

A kind is data, `specs/NAME.toml`; `generate.py` turns it into a labelled file. Each seed draws its
own columns, headers, ways of writing, words, rates and cardinalities. Training and test (`split`)
use different words and different parts of the ranges. No record is copied from any data set.

    python -m benchmarks.kinds                              list the kinds
    python -m benchmarks.kinds --write FOLDER --seeds 2     write test files for benchmarks.panel
    python -m benchmarks.kinds.check --kinds NAME           naive and trained F1 of a kind

A new kind in ten minutes
-------------------------
1. Copy the specification that resembles the new kind most. Write `about` (one sentence) and
   `group` (a group of `folds.py`; groups are left out of training together).
2. `[family]` describes entities that share values and are different: `share` of the families have
   `size` members (households, editions, branches).
3. `[sources]` has `names` (one file, two files, or three sources in one file), or `provenance`
   (headers of a column of `count` sources in one file). `coverage` is the share of the entities in
   each source, `repeat` the share with several records there, `copies` how many. Each is one range,
   or one range for each name. Every range is `[least, most]`; a file draws its own value.
4. `[attributes]` are properties of an entity, in the order in which they are drawn. A text is a
   template or a list of templates: `{given}` draws from a word list or repeats an earlier
   attribute, `{=1-99}` a number, `{:AA-999*}` a mask with a check digit. `number = [1, 90]` and
   `date = [1950, 2020]` are ranges (`scale = "log"`, `split = false`). `family = 0.7` is the
   probability to share the value of the family; `distinct = true` gives members different words,
   `step` different numbers. `record = true` draws anew for each record.
5. `[words]` adds word lists: `list = "oak, pine"` or `languages = "english latin"` with a `role`
   and a `count`. `split = false` keeps a list of a few standard words whole. `common.toml` holds
   lists, headers, error profiles and idle columns that all kinds may use.
6. `[columns]` writes attributes: `styles` (templates with formats such as `{birth|%d.%m.%Y}`,
   `{last|upper}`, `{size|*0.1|.1f}`; each source draws one, `mix` of the records another),
   `headers`, `errors` (a profile of `common.toml` or a table of channels of `errors.py`),
   `missing`, and `keep`, the probability that a file has the column.
7. `[[changes]]` draws attributes again in a share of the records (moves, new names); `[[swaps]]`
   exchanges two columns. `idle` is the number of columns that are no evidence, `key` the
   probability of a column of unique keys.
8. Run the check. A kind counts if the naive F1 is below .75 and the trained one above .90. Change
   the specification until it is; commit it before the resolver runs on it for the first time.
"""

__all__ = ()
