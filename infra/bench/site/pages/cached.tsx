// The same page without a data function: from the page cache.

import { Cards, createCards } from '../components/cards.tsx'

export default function Cached() {
  return <Cards cards={createCards(7)} />
}
