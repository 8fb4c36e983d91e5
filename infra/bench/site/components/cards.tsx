// The reference page: fifty cards, 12 KB of HTML. No framework component, so that bare React renders the same tree.

interface Card {
  id: number
  title: string
  text: string
  price: number
}

export function createCards(seed = 0): Card[] {
  return Array.from({ length: 50 }, (_, index) => ({
    id: index,
    title: `Card ${index} of ${seed}`,
    text: `A sentence about card ${index}, as long as such sentences are, & "quoted".`,
    price: ((index * 37 + seed) % 90) + 9,
  }))
}

export function Cards({ cards }: { cards: Card[] }) {
  return (
    <main className="grid">
      <h1>Fifty cards</h1>
      <ul>
        {cards.map(({ id, title, text, price }) => (
          <li key={id} className="card" data-id={id}>
            <a href={`/cards/${id}`}>
              <h2>{title}</h2>
              <p>{text}</p>
              <span className={price > 50 ? 'price high' : 'price'}>{price} €</span>
            </a>
          </li>
        ))}
      </ul>
    </main>
  )
}
