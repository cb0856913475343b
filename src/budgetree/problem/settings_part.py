"""SettingsPart: prices, losses or labels, each of which reads its part of a settings file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

from budgetree.errors import BudgetreeError, Where


class SettingsPart:
    """What a settings file may hold."""

    __slots__ = ()
    _part: ClassVar[str]  # of `settings_file.Settings`
    _absent: ClassVar[tuple[type[BudgetreeError], str] | None] = None  # what to say of a file without it, if anything

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Read this part of a settings file, whose other parts are checked all the same.

        Prices are in the table [tests] and those of the rules of pathways, losses in [losses] and [answers], labels in
        [labels].

        Parameters
        ----------
        path : str or path
            The file, in TOML.

        Raises
        ------
        BudgetreeError
            Where the file has no such part, or something in it is wrong; the message names the place.
        OSError
            Where there is no such file.

        Examples
        --------
        >>> import budgetree as bt
        >>> from pathlib import Path
        >>> _ = Path("settings.toml").write_text('''default = 8
        ... [tests]
        ... ecg = 40
        ... [losses]
        ... cancer = 50
        ... [labels.tests]
        ... ecg = "ECG"''')
        >>> bt.Prices.from_toml("settings.toml"), bt.Losses.from_toml("settings.toml")
        (Prices({'ecg': 40}, default=8), Losses({'cancer': 50}))
        >>> bt.Labels.from_toml("settings.toml").tests["ecg"].name
        'ECG'
        """
        from budgetree.problem.settings_file import read_toml

        found: Self | None = getattr(read_toml(path), cls._part)
        if found is None and cls._absent is not None:
            error, message = cls._absent
            raise error(message, where=Where(str(path)))
        return cls({}) if found is None else found  # type: ignore[call-arg]
