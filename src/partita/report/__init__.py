"""The report of a result: one HTML file that needs no network."""

from partita.report.report import check_report, write_report

__all__ = ["check_report", "write_report"]
