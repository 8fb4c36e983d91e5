export default function Lost({ motto }: { motto?: string }) {
  return <p id="motto">{motto}</p>
}
