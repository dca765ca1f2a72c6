"""Sensitivity of F1 and calibration to every tuned number of the application half."""
