"""The laws of the compiler, held against anyone's specs: instances are made up, two sides judge them."""
