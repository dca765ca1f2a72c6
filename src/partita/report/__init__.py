"""The report: one HTML file to look at, which needs no network."""

from partita.report.report import check_report, write_report

__all__ = ["check_report", "write_report"]
