// `next/font/google`: the build replaces each call of a font, so that this module needs none of their names (X1).

export * from './font-types.ts'
