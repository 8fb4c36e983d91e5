// `next/font/google`: the build replaces each call, and this module is imported by code that calls no font.

export type { NextFont } from './font-types.ts'
