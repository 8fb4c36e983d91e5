/** A page of more than one screen. */
export function Rows() {
  return Array.from({ length: 300 }, (_, row) => (
    <p key={row} id={`row-${row}`} style={{ height: 20, margin: 0 }}>
      {row}
    </p>
  ))
}
