// Passwords that everybody tries first: those of at least 8 characters from the lists that leaks have made known.

/** Whether a password is a well-known one, in any case of letters, with or without digits and signs around it, or no more than a pattern. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  const [, core = ''] = /^[^a-z]*((?:[a-z]|[^a-z]+[a-z])*)/.exec(text) ?? [];
  return common.has(text) || (core.length >= text.length - 4 && words.has(core)) || isPattern(text);
}

/** One to three characters over and over, or a run along the alphabet or the digits. */
function isPattern(text: string): boolean {
  if (text.length <= 24 && /^(.{1,3})\1+.{0,2}$/u.test(text)) return true;
  return runs.some((run) => run.includes(text));
}

const rows = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
];
const runs = rows.flatMap((row) => [row, [...row].reverse().join('')]);

/** Refused with up to four more characters around them: `Password1!`. */
const words = new Set(
  `password passwort passw0rd p@ssword p@ssw0rd pa55word motdepasse contrasena senha admin administrator root letmein welcome
  changeme changeit default secret superman batman iloveyou princess sunshine football baseball basketball monkey dragon master
  shadow michael jennifer charlie jordan trustno starwars pokemon whatever computer internet samsung google liverpool chelsea
  arsenal qwerty qwertz azerty qwertyuiop asdfghjkl zxcvbnm abc abcd hello test testing user guest login access nodered node-red weir`.split(
    /\s+/,
  ),
);

const common = new Set(
  `1q2w3e4r 1q2w3e4r5t q1w2e3r4 q1w2e3r4t5 1qaz2wsx 1qaz2wsx3edc zaq12wsx zaq1xsw2 qazwsxedc qazwsx123 qweasdzxc qwe123qwe asdf1234
  1234qwer qwer1234 abc12345 abcd1234 a1b2c3d4 a1b2c3d4e5 aa123456 a12345678 a123456789 123456789a 12345678a 123qweasd 123abc123
  11223344 1122334455 12344321 1234554321 12341234 12121212 87654321 987654321 0987654321 147258369 159357456 741852963 789456123
  123456789q 123654789 135792468 102030405 5201314520 31415926 3141592653 20012001 trustno1 letmein1 iloveyou1 rockyou1 football1
  blink182 jordan23 mustang1 michael1 charlie1 superman1 passw0rd1 p@55w0rd pa$$word pa$$w0rd correcthorsebatterystaple
  spiderman westside slipknot metallica scorpion midnight mercedes maverick marlboro swimming snowball security rangers1 redskins
  elephant dolphins danielle cocacola brooklyn bluebird babygirl babygirl1 anderson alexander asdfasdf butterfly chocolate christian
  christopher courtney diamonds einstein fernando firebird godzilla gladiator greenday hardcore heather1 hellokitty infinity
  jessica1 jonathan keyboard kimberly lovelove manchester margaret microsoft military minecraft mountain nicholas nintendo
  patricia patrick1 peaches1 pineapple platinum platypus playstation precious qwerty123 qwertyui rainbow1 remember richard1
  samantha savannah sebastian skateboard snickers softball starlight stephanie strawberry sunflower sweetheart tinkerbell
  tottenham valentina valentine veronica victoria warcraft warriors williams winston1 yankees1 zeppelin`.split(/\s+/),
);
