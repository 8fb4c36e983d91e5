#!/usr/env node
module.exports = 11
