// The light of each landscape from top to bottom, for placeholders: read off the finished pictures once.
export const washes: Readonly<Record<string, readonly string[]>> = {
  skarnvik: ['#9d999a', '#877f7a', '#7d756d', '#7d756f', '#676564'],
  'hallow-ness': ['#7b898b', '#98a5a5', '#a1adad', '#96a2a2', '#818e8e'],
  revonmaa: ['#244a5b', '#28676b', '#1c5452', '#0d2d31', '#12393b'],
  jokulhem: ['#94abb9', '#b1bfc6', '#afc0c7', '#b1c1c7', '#bcc8ca'],
  ostrel: ['#7a83b6', '#a192af', '#7c718d', '#5c6387', '#7882ac'],
  asurai: ['#2a2441', '#3b2f55', '#513458', '#321e31', '#150f19'],
  moyun: ['#99a39a', '#8c9288', '#7a7e75', '#7e8277', '#7f8477'],
  langgai: ['#868771', '#75765a', '#7c7e65', '#737d69', '#6b7665'],
  mirabelos: ['#a9cbd9', '#99b6bf', '#729eab', '#578c9e', '#458299'],
  'noctil-bay': ['#1a2147', '#1e2853', '#1e2e57', '#1b416b', '#124163'],
  luzamar: ['#4d497d', '#6b5d92', '#6e4f5c', '#664950', '#63507b'],
  'sehel-amun': ['#4b5589', '#8c7a9a', '#7d5e67', '#6f484b', '#623f41'],
  cassarah: ['#bfaea6', '#b98a6e', '#7e5047', '#66403b', '#57322e'],
  oyune: ['#b9a8bc', '#dfbcb7', '#e0bdb1', '#d6b7b9', '#b4a6ba'],
  arbolenda: ['#768248', '#888f61', '#878d66', '#787f5a', '#525b36'],
  rousserelle: ['#8eaac4', '#a29995', '#a48a79', '#978b86', '#8193a6'],
}
