"""Figures that compute in the page: their arithmetic is kernel.js, compared with the package."""
