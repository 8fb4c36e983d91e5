#!/usr/env node
export default 12
