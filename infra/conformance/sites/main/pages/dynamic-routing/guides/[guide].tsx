import { State } from '../../../components/state'

/** Without a data function, and longer than a window. */
export default function Guide() {
  return (
    <main>
      <State />
      {Array.from({ length: 200 }, (_, room) => (
        <p key={room} id={`room-${room}`}>
          Room {room}
        </p>
      ))}
    </main>
  )
}
