// All landscapes, in the order of the index page.
import type { Scene } from '../engine/scene.ts'
import { arbolenda } from './arbolenda.ts'
import { asurai } from './asurai.ts'
import { cassarah } from './cassarah.ts'
import { hallowNess } from './hallow-ness.ts'
import { jokulhem } from './jokulhem.ts'
import { langgai } from './langgai.ts'
import { luzamar } from './luzamar.ts'
import { mirabelos } from './mirabelos.ts'
import { moyun } from './moyun.ts'
import { noctilBay } from './noctil-bay.ts'
import { ostrel } from './ostrel.ts'
import { oyune } from './oyune.ts'
import { revonmaa } from './revonmaa.ts'
import { rousserelle } from './rousserelle.ts'
import { sehelAmun } from './sehel-amun.ts'
import { skarnvik } from './skarnvik.ts'

export const scenes: readonly Scene[] = [
  skarnvik,
  hallowNess,
  revonmaa,
  jokulhem,
  ostrel,
  asurai,
  moyun,
  langgai,
  mirabelos,
  noctilBay,
  luzamar,
  sehelAmun,
  cassarah,
  oyune,
  arbolenda,
  rousserelle,
]
