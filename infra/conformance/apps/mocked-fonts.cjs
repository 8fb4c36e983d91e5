// The style sheets that Google Fonts would send for the fonts of these apps: Next.js reads this file where
// NEXT_FONT_GOOGLE_MOCKED_RESPONSES names it, and a build needs no other host.

const FONTS = ['Geist', 'Geist Mono', 'Inter']

module.exports = Object.fromEntries(
  FONTS.map((name) => [
    `https://fonts.googleapis.com/css2?family=${name.replaceAll(' ', '+')}:wght@100..900&display=swap`,
    `/* latin */ @font-face { font-family: '${name}'; font-style: normal; font-weight: 100 900; font-display: swap; src: url(https://fonts.gstatic.com/s/${name.toLowerCase().replaceAll(' ', '')}.woff2) format('woff2'); unicode-range: U+0000-00FF; }`,
  ]),
)
