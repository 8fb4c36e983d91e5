export default function Styled() {
  return (
    <main>
      <p id="blue">Blue</p>
      <style jsx>{`
        p {
          color: blue;
        }
      `}</style>
    </main>
  )
}
