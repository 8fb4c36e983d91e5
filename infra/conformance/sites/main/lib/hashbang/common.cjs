#!/usr/env node
module.exports = 13
