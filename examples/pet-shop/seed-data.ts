/** Kinds of pets with their breeds, a range of prices and the highest age in years that the shop would sell one at. */
export const KINDS = [
  {
    kind: 'dog',
    breeds: ['Labrador Retriever', 'Border Collie', 'Beagle', 'Dachshund', 'Whippet', 'Cocker Spaniel', 'Standard Poodle', 'Shiba Inu'],
    price: [450, 1900],
    oldest: 6,
  },
  {
    kind: 'cat',
    breeds: ['British Shorthair', 'Maine Coon', 'Siamese', 'Ragdoll', 'Norwegian Forest Cat', 'European Shorthair', 'Russian Blue'],
    price: [120, 1100],
    oldest: 8,
  },
  { kind: 'rabbit', breeds: ['Netherland Dwarf', 'Holland Lop', 'Lionhead', 'Flemish Giant', 'Mini Rex'], price: [30, 120], oldest: 4 },
  { kind: 'bird', breeds: ['Budgerigar', 'Cockatiel', 'Zebra Finch', 'Canary', 'Peach-faced Lovebird'], price: [20, 240], oldest: 6 },
  { kind: 'fish', breeds: ['Betta', 'Fancy Goldfish', 'Angelfish', 'Neon Tetra', 'Discus'], price: [10, 90], oldest: 2 },
  { kind: 'reptile', breeds: ['Leopard Gecko', 'Bearded Dragon', 'Corn Snake', 'Hermann’s Tortoise'], price: [60, 380], oldest: 10 },
] as const

/** What may be said of a pet besides. */
export const TAGS = ['vaccinated', 'house-trained', 'good-with-children', 'quiet', 'playful', 'rescued', 'senior-friendly'] as const

/** Where owners live, with the beginning of a telephone number there. */
export const CITIES = [
  { name: 'Hamburg', dial: '+49 40' },
  { name: 'Utrecht', dial: '+31 30' },
  { name: 'Lyon', dial: '+33 4' },
  { name: 'Bologna', dial: '+39 051' },
  { name: 'Kraków', dial: '+48 12' },
  { name: 'Porto', dial: '+351 22' },
  { name: 'Göteborg', dial: '+46 31' },
  { name: 'Cork', dial: '+353 21' },
] as const

export const FIRST_NAMES = [
  ...['Anneke', 'Bruno', 'Chiara', 'Daniel', 'Elif', 'Finn', 'Greta', 'Henrik', 'Inês', 'Jonas', 'Katarzyna', 'Lucas'],
  ...['Maeve', 'Nuno', 'Oskar', 'Paola', 'Quentin', 'Rosa', 'Samir', 'Tove', 'Ursula', 'Vincent', 'Wanda', 'Yusuf'],
] as const

export const LAST_NAMES = [
  ...['de Vries', 'Moreau', 'Rossi', 'Nowak', 'Ferreira', 'Lindqvist', 'O’Brien', 'Schmidt', 'Kaya', 'Bakker', 'Fontana'],
  ...['Wójcik', 'Lefèvre', 'Almeida', 'Berg', 'Murphy', 'Krüger', 'Visser', 'Conti', 'Demir', 'Holm', 'Garnier', 'Petersen'],
] as const

export const PET_NAMES = [
  ...['Rex', 'Luna', 'Milo', 'Bella', 'Oscar', 'Nala', 'Simba', 'Coco', 'Rocky', 'Daisy', 'Felix', 'Molly', 'Loki', 'Lilly', 'Leo'],
  ...['Ginger', 'Balou', 'Kiwi', 'Pepper', 'Minka', 'Charlie', 'Stella', 'Bruno', 'Maja', 'Findus', 'Olive', 'Pablo', 'Frida', 'Toffee'],
  ...['Biscuit', 'Rosie', 'Archie', 'Willow', 'Teddy', 'Poppy', 'Ziggy', 'Mango', 'Hazel', 'Sushi', 'Bubbles', 'Nemo', 'Dory', 'Spike'],
  ...['Rango', 'Shelly', 'Tequila', 'Tweety', 'Caruso', 'Pip', 'Sunny', 'Klopfer', 'Flocke', 'Hoppel', 'Mopsy', 'Smokey', 'Shadow'],
] as const
