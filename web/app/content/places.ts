// The places of the Atlas, in the order of the index. None of them exists.
import { east } from './places/east.ts'
import { north } from './places/north.ts'
import type { Place } from './places/place.ts'
import { south } from './places/south.ts'
import { west } from './places/west.ts'

export type { Place, PlaceKind } from './places/place.ts'

export const places: Place[] = [...north, ...east, ...south, ...west]
