window.thrice = (text) => text.repeat(3)
