"""Reading a request: tokens, the vocabulary of fields, and which fields its text gives."""
