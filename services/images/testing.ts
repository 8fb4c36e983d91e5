// What tests import of the inner functions and limits of the image service; no other code imports this file.

export { FairTurns } from './queue/fair-turns.ts'
