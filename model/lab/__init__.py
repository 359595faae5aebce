"""The lab: tiny transformers on arithmetic, trained over a grid of budgets and sizes (needs the extra `lab`)."""
