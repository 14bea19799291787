"""How our normalised schemas differ from oh-my-pi's, and why."""
