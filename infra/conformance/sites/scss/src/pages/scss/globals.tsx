export default function Globals() {
  return (
    <main>
      <p id="reversed" className="order-middle order-beginning">
        The sheet of the later import decides.
      </p>
      <p id="in-order" className="order-beginning order-zenith">
        The sheet of the later import decides.
      </p>
      <p id="nested" className="nested">
        A sheet in a sheet.
      </p>
      <p id="under" className="under-styled-jsx">
        Of styled-jsx.
      </p>
      <style jsx global>{`
        .under-styled-jsx {
          color: #7a7b7c;
        }
      `}</style>
    </main>
  )
}
