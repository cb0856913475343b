"""What several tests share: reference implementations and small helpers. Nothing here is collected."""
