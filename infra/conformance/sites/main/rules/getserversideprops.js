const at = '/getserversideprops'

module.exports = {
  afterFiles: [
    { source: `${at}/flagship`, destination: `${at}/ships/aurora` },
    { source: `${at}/newest`, destination: `${at}/ships/borea?deck=upper` },
    { source: `${at}/ship-:number`, destination: `${at}/ships/corvus` },
  ],
}
