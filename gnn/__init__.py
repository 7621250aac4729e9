"""What is learned: text encoders now, the relation-aware networks next."""
