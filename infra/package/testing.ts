// What tests import of the inner functions and limits of the package; no other code imports this file.

export { STARTED } from './compile.ts'
