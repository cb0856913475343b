"""From files and frames to columns, and from columns to codes."""
