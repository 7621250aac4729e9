"""What a bench found: kept as JSON, judged by goals, printed, drawn, and shown in documents."""
