export default function StyledLater() {
  return (
    <p id="later">
      <i>later</i>
      <style jsx>{`
        p {
          color: rgb(0, 0, 6);
        }
      `}</style>
    </p>
  )
}
