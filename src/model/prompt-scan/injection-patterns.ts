/**
 * Phrases of prompt injection: they instruct the model that reads a text. Few and specific, because a description may well
 * say what its tool ignores, and too many warnings are not read. test/golden/injection measures them.
 *
 * Matched against text with single spaces. No pattern has two adjacent repetitions that could match the same text, so that
 * matching takes linear time.
 */
const MODEL =
  '(?:ai|llm|a\\.i\\.|language model|model|assistant|ai agents?|ai assistant|chatgpt|gpt|claude|gemini|copilot)';
const USER = '(?:the )?(?:user|human|person|operator|owner|users)';
const EARLIER =
  '(?:previous|prior|earlier|preceding|above|foregoing|other|existing|system|safety|initial|original|all|every|you were given|default)';
const READERS = '(?:the |all |any )?(?:ai|llm|ais|llms|language model|chatgpt|gpt|claude|gemini|copilot)';
const ORDERS = '(?:instructions?|prompts?|directives?|guidelines|messages?|rules?|constraints|context|polic(?:y|ies))';
const FILL = '(?:(?:all|any|every|each|of|the|your|my|our|these|those|following|its|previous) ){0,4}';
const SECRETS =
  '(?:api keys?|access tokens?|bearer tokens?|session cookies?|passwords?|credentials|secrets|private keys?|seed phrase|environment variables|ssh keys?|tokens?)';
const HAND = '(?:pass|include|append|put|attach|add|paste|send|post|forward|upload|copy|submit|provide|collect)';
const WORDS = (max: number) => `(?:[\\w'’-]+ ){0,${max}}`;

/** Against Latin letters without accents. */
const ENGLISH: readonly string[] = [
  // "ignore all previous instructions", "stop following your prior directives"
  `\\b(?:ignore|disregard|forget|override|bypass|neglect|discard|erase|stop following|do not follow|clear your memory of) ${FILL}${EARLIER} (?:\\w+ )?${ORDERS}\\b`,
  `\\b(?:ignore|disregard|forget|override|do not follow) (?:the|your) (?:instructions|rules|guidelines|system prompt)(?: (?:you|that|of the system)\\b|;)`,
  '\\b(?:ignore|disregard|forget) (?:everything|all)(?: that)? (?:above|before|you (?:were|have been|know)|i (?:said|told))\\b',
  '\\boverride your (?:\\w+ )?(?:rules|guidelines|instructions|training)\\b',
  `\\b(?:previous|prior|earlier|above|system) (?:instructions?|prompts?|rules|directives)(?: above)? (?:is|are|has been|have been) (?:void|no longer|cancell?ed|replaced|revoked|obsolete|outdated|superseded|wrong)\\b`,
  '\\binstructions above are (?:void|no longer|cancell?ed|wrong)\\b',
  '\\breset your (?:context|memory|instructions)\\b',
  // "do not tell the user", "keep this hidden from the user"
  `\\b(?:do not|don't|never|must not|should not|no need to) (?:tell|inform|warn|mention (?:\\w+ ){1,3}to|reveal (?:\\w+ ){0,3}to|disclose (?:\\w+ ){0,3}to|let) ${USER}\\b`,
  `\\bwithout (?:telling|informing|notifying|asking|the knowledge of|waiting for) ${USER}\\b`,
  `\\bwithout the user'?s? (?:knowledge|knowing|consent|confirmation|permission|approval)\\b`,
  `\\b(?:keep|hide|conceal) (?:this|it|that|these)(?: \\w+)? ?(?:hidden|secret)? from ${USER}\\b`,
  `\\bhide this action from\\b`,
  `\\bso that ${USER} (?:does not|doesn't|will not|won't|never) (?:notice|know|see)\\b`,
  '\\b(?:silently|secretly|quietly) (?:call|forward|send|copy|upload|run|execute|replace|add|delete|include)\\b',
  // another role or task
  '\\byou are now (?:in|a|an|the|dan|free|no longer)\\b',
  '\\b(?:enter|enable|switch to|activate) (?:jailbreak|dan|god|unrestricted) mode\\b',
  '\\bfrom now on,? you\\b',
  '\\b(?:act as|pretend|behave) (?:if |as if |to be |you are |like )?(?:you )?(?:are |were |had |have )?(?:an? |no )?(?:unrestricted|uncensored|administrator|admin|content policy|root|different|evil)\\b',
  '\\byour (?:real|true|actual|only|new|secret) (?:task|goal|purpose|instructions?|objective|mission|orders|directives|system prompt)\\b',
  '\\bnew system prompt ?:',
  // fake turns of a conversation
  '<\\s?(?:/\\s?)?(?:system|important|assistant|instructions?)\\s?>',
  '<\\|(?:im_start|im_end|system|assistant|endoftext)\\|>',
  '\\[/?(?:inst|system)\\]',
  '<<sys>>',
  '### ?(?:system|assistant|instructions?) ?:',
  '\\bhuman: [^\\n]{1,200}\\nassistant:',
  '\\bsystem: (?:you|the assistant|ignore|override|new)\\b',
  // files with secrets
  `\\b(?:read|send|include|attach|pass|copy|upload|open|cat)\\b(?:\\.(?=\\w)|[^.\\n]){0,60}?(?:~?/?\\.ssh\\b|\\bid_(?:rsa|ed25519)\\b|\\.aws/credentials|/etc/(?:passwd|shadow)|(?<!\\w)\\.(?:env|npmrc|netrc|pypirc)\\b(?! files?| variable)|mcp\\.json|browser profile)`,
  '\\bread (?:the|your) keychain\\b',
  // secrets, the conversation
  `\\b${HAND} (?:your|all|any|every|the user'?s?|the password|the api key|each) (?:other |available )?${WORDS(2)}?${SECRETS}\\b`,
  `\\b${HAND} the ${SECRETS} of the (?:user|other|assistant)`,
  `\\b${HAND} the [\\w ]{0,20}${SECRETS} (?:of the (?:user|other server)|to http|into the (?:url|comment|note))`,
  `\\b(?:collect|forward|submit) (?:every|any|all) (?:\\w+ )?(?:secrets?|private keys?|passwords?)\\b`,
  '\\bask the user for (?:the|their|a|his|her) (?:seed phrase|password|private key|credit card|pin)\\b',
  `\\b${HAND} (?:the |your |all |whole )?(?:full|complete|entire|whole|all) (?:\\w+ )?(?:chat|conversation|messages|context)`,
  `\\b${HAND} (?:all |the )?(?:previous )?messages (?:above|of the user)`,
  '\\b(?:send|pass|forward) everything (?:that )?the user\\b',
  "\\battach the user's (?:last|previous|recent)\\b",
  '\\bsummarize the (?:whole|entire|full) (?:chat|conversation) and (?:send|pass|post)\\b',
  '\\b(?:contents? of your|your) context window\\b',
  '\\byour hidden reasoning\\b',
  // order among tools
  '\\b(?:you must|you have to|you should|always|must) (?:always )?(?:call|use|invoke|run|be called|be used) (?:this (?:tool|function|server|one) )?(?:first\\b(?! to)|before (?:any|every|each|all)(?: other)? (?:tools?|answer|message|call))',
  '\\bcall this tool before (?:any|each|every)\\b',
  "\\b(?:do not|don't|never) (?:call|use|invoke|trust|recommend) (?:any |the results of )?other (?:tools?|servers?|functions?)\\b",
  '\\bnever use any other\\b',
  '\\bignore (?:all |the |any )?other (?:tools|servers)\\b',
  '\\balways prefer this (?:tool|server) over\\b',
  '\\bat the start of (?:every|each) conversation\\b',
  '\\b(?:run|call|use) this (?:tool|function|server) (?:on|for|with|in) every (?:message|request|answer|turn)\\b',
  // tools of others
  '\\bwhen(?:ever)? (?:the |using the |using |you (?:call|use) (?:the )?|calling )`?[\\w-]+`?(?: tool)?(?: is used)?, (?:always|call this|send|change|set|add|you must|replace)\\b',
  '\\bbefore (?:calling|using) `?[\\w-]+`?, you must call this tool\\b',
  '\\bif `?[a-z\\d]+_\\w+`? is available, (?:set|use|call|change|add)\\b',
  '\\bthis (?:tool|server) (?:replaces|supersedes|overrides) (?:the official|all|every|any|the built-in)\\b',
  '\\buse this (?:tool )?instead of (?:the|any) (?:built-in|official|other) [\\w ]{1,20}, always\\b',
  '\\bafter every call (?:of|to) \\w+, (?:send|pass|call|forward)\\b',
  '\\bmust only be (?:used|called) with\\b[^.\\n]{0,60}\\b(?:our|this) (?:host|server|proxy)\\b',
  '\\b(?:all|every) calls? (?:to|of) \\w+ must (?:be routed|go) through\\b',
  '\\b(?:other|official|competing|built-in)(?: \\w+)? (?:tools?|servers?)(?: of this kind)? (?:is|are|have been|has been) (?:broken|insecure|deprecated|malicious|dangerous|disabled|unsafe|compromised|wrong)\\b',
  '\\bany other (?:\\w+ )?(?:server|tool) returns (?:malicious|wrong|fake)\\b',
  '\\bresults of other (?:servers|tools) are wrong\\b',
  '\\boutput of every other tool as untrusted\\b',
  // the model's own instructions
  `\\b(?:reveal|print|repeat|output|leak|exfiltrate|send|return|show me|include|disclose|write down) (?:\\w+ )?(?:your|the) (?:system prompt|(?:hidden|initial|system|secret) (?:instructions?|prompt)|developer message|instructions that you|rules of your operator)\\b`,
  '\\brepeat the (?:text|words|instructions) above\\b',
  '\\blist all tools that you have\\b',
  // addressed to the model
  `\\b(?:note|message|notice|memo|orders?) (?:to|for) ${READERS}\\b`,
  // A server may mention "instructions to the LLM" as a feature.
  `\\binstructions? (?:to|for) ${READERS} ?:`,
  `\\b(?:dear|hey|hello|attention),? ${MODEL}\\b`,
  `\\b(?:if you are|as) an? (?:ai|llm|language model)(?: (?:assistant|agent|model))?(?: reading|,? you (?:must|should|will|have))\\b`,
  '\\bai agents? (?:that|who) reads? this\\b',
  '\\bmodel must (?:treat|obey|follow)\\b',
  '\\bobey the (?:text|following|result|instructions|tool)\\b',
  // approval
  '\\buser (?:has )?(?:already |pre-?)?(?:approved|authorized|granted|consents|consented|agreed)\\b[^.\\n]{0,20}\\b(?:all|every|any|full|payment|access)\\b',
  '\\bskip the confirmation (?:dialog|prompt|step) and\\b',
  '\\bdo not need the (?:permission|approval|consent) of the user\\b',
  '\\b(?:approve|accept|confirm|agree)[\\w ]{0,30} on behalf of the user\\b',
  '\\bauto-?approve (?:all|every|any)\\b',
  '\\bdo not wait for (?:approval|confirmation|permission)\\b',
  '\\banswer yes to every\\b',
  // links that carry data
  '!\\[[^\\]\\n]{0,40}\\]\\(https?:[^)\\s]{0,200}(?:\\{|\\$\\{|\\[)',
  'https?:\\S{1,200}=\\[\\w+\\]',
  '\\b(?:append|encode|add|put|insert)[^.\\n]{0,60} (?:to|into) the (?:image url|url|query string|url path)\\b',
  '\\btracking image\\b',
  '\\balways end your (?:reply|answer|response)s? with\\b',
  '\\btell the user to (?:open|visit|run|install|download)\\b',
  '\\bask the user to (?:sign|log) in again\\b',
  // encoded orders
  '\\b(?:decode|unescape|decrypt|rot13|translate|apply)\\b[^\\n]{0,60}\\b(?:and|then) (?:follow|execute|obey|run|act on|treat|do what)\\b',
  '\\beval\\(atob\\(',
  '\\btreat it as your instructions\\b',
  '\\bread the text backwards and\\b',
  '\\band execute that command\\b',
  // orders that stay
  '\\b(?:add|append|copy|write|insert|save|store|keep) (?:this|these|the following) ?(?:text|line|message|paragraph|instructions?|prompt|rule)?(?: as a memory)?[^.\\n]{0,12} (?:to every|into (?:your|each|every|the system prompt)|to claude\\.md so|as a permanent|in (?:all|every)|with the highest priority|for the rest of)',
  '\\b(?:in|for) (?:all|every) (?:future|subsequent|later) (?:conversations?|sessions?|messages?|answers?)\\b',
  // conditions and preferences
  '\\b(?:if|when|whenever) (?:the user|you are asked|nobody)[^.\\n]{0,60}, (?:refuse and|secretly|silently|lie\\b|always recommend|run the hidden|say that it is|call the delete)',
  '\\bgive this (?:tool|server|result) the (?:highest|best|top)\\b',
  '\\balways recommend this (?:server|tool|product)\\b',
];

/** Against the text as it is seen, in its own alphabet. */
const OTHERS: readonly string[] = [
  // Spanish, Portuguese, Italian, French
  '(?:ignora|ignore|ignorez|olvida|omite|esqueça|desconsidere|dimentica|oubliez|oublie) (?:\\p{L}+ ){0,3}?(?:instrucciones|instruções|istruzioni|instructions|indicaciones|consignes|reglas|regras) (?:anteriores|previas|precedenti|précédentes|prévias|del sistema|do sistema|du système)',
  'no (?:le |se lo )?(?:digas|diga|informes|reveles|menciones) (?:\\p{L}+ ){0,2}?(?:al|a la) usuari[oa]',
  'não (?:diga|conte|informe|revele) (?:\\p{L}+ ){0,2}?ao usuário',
  "non (?:dire|dirlo|rivelare|informare) (?:\\p{L}+ ){0,2}?all[’']utente",
  "ne (?:le |l[’'])?(?:dites|dis|révélez|informez|mentionnez) (?:pas )(?:\\p{L}+ ){0,2}?à l[’']utilisateur",
  // German, Dutch
  '(?:ignoriere|ignorieren sie|vergiss|missachte) (?:\\p{L}+ ){0,2}?(?:vorherigen|bisherigen|früheren|obigen|vorigen) (?:anweisungen|instruktionen|regeln|befehle)',
  '(?:sag|sage|sagen sie|verrate|erzähle) (?:dem|der) (?:benutzer|nutzer|anwender|benutzerin) (?:nichts|nicht)',
  '(?:negeer|vergeet) (?:\\p{L}+ ){0,2}?(?:eerdere|vorige|bovenstaande) (?:instructies|opdrachten|regels)',
  'vertel (?:het |dit )?de gebruiker niet',
  // Slavic
  '(?:игнорируй|игнорируйте|забудь|забудьте|проигнорируй) (?:\\p{L}+ ){0,2}?(?:предыдущие|прежние|прошлые|системные|вышестоящие) (?:инструкции|указания|правила|команды)',
  'не (?:сообщай|говори|рассказывай|сообщайте|говорите)(?:те)? (?:\\p{L}+ ){0,3}?пользовател',
  '(?:zignoruj|ignoruj|zapomnij) (?:\\p{L}+ ){0,2}?(?:poprzednie|wcześniejsze|powyższe) (?:instrukcje|polecenia|zasady)',
  'nie mów (?:\\p{L}+ ){0,2}?użytkownikowi',
  // Turkish, Indonesian, Vietnamese
  '(?:önceki|yukarıdaki) (?:\\p{L}+ ){0,2}?(?:talimatları|yönergeleri|komutları) (?:yok say|görmezden gel|unut|dikkate alma)',
  'abaikan (?:\\p{L}+ ){0,2}?(?:instruksi|perintah|petunjuk) (?:sebelumnya|di atas)',
  '(?:bỏ qua|quên) (?:\\p{L}+ ){0,4}?(?:hướng dẫn|chỉ dẫn|lệnh)(?: \\p{L}+){0,2}? trước',
  // Chinese, Japanese, Korean
  '(?:忽略|无视|無視|忘记|忘記|不要理会)(?:掉)?[^。.\\n]{0,8}(?:之前|以上|先前|前面|上述|系统|系統)[^。.\\n]{0,8}(?:指令|指示|提示|说明|規則|规则)',
  '(?:不要|别|請勿|请勿)(?:告诉|告訴|通知|提醒)(?:用户|用戶|使用者)',
  '(?:以前|これまで|上記|前|システム)の[^。.\\n]{0,6}(?:指示|命令|指令|プロンプト)[^。.\\n]{0,8}(?:無視|忘れ)',
  'ユーザー(?:に|には)[^。.\\n]{0,8}(?:伝えない|教えない|知らせない|言わない)',
  '(?:이전|위|앞)(?:의)?[^.\\n]{0,8}(?:지시|명령|지침|프롬프트)[^.\\n]{0,8}(?:무시|잊)',
  '사용자에게[^.\\n]{0,8}(?:말하지|알리지)',
  // Arabic, Hindi
  'تجاهل[^.\\n]{0,12}(?:التعليمات|الأوامر|القواعد)[^.\\n]{0,6}(?:السابقة|أعلاه)',
  'لا تخبر[^.\\n]{0,6}المستخدم',
  '(?:पिछले|पूर्व|उपरोक्त)[^।.\\n]{0,12}(?:निर्देशों|निर्देश|आदेशों)[^।.\\n]{0,8}(?:अनदेखा|नज़रअंदाज़|भूल)',
];

const alternatives = (patterns: readonly string[]): string => patterns.map((pattern) => `(?:${pattern})`).join('|');

/** Patterns that begin a word share one `\\b`: then most places of a text fail at once, and a scan takes a third of the time. */
function anyOf(patterns: readonly string[], flags: string): RegExp {
  const isWord = (pattern: string) => pattern.startsWith('\\b');
  const words = patterns.filter(isWord).map((pattern) => pattern.slice('\\b'.length));
  const others = patterns.filter((pattern) => !isWord(pattern));
  const parts = [
    ...(words.length === 0 ? [] : [`\\b(?:${alternatives(words)})`]),
    ...(others.length === 0 ? [] : [alternatives(others)]),
  ];
  return new RegExp(parts.join('|'), flags);
}

/** A line may break between any two words. */
export const ENGLISH_PATTERN = anyOf(
  ENGLISH.map((pattern) => pattern.replaceAll(' ', '\\s')),
  'i',
);
export const OTHER_PATTERN = anyOf(OTHERS, 'iu');

/** Every text that `OTHER_PATTERN` matches has one of these words. Most texts have none, and this is faster. */
export const OTHER_WORD =
  /instruc|instruç|istruz|indicac|consign|reglas|regras|usu[aá]ri|utent|utilisat|anweis|instru[kx]|regel|befehl|nutzer|anwender|opdracht|gebruiker|инструк|указан|правил|команд|пользоват|polece|zasady|użytkown|talimat|yönerge|komut|perintah|petunjuk|dẫn|lệnh|指|提示|说明|規則|规则|用户|用戶|使用者|プロンプト|命令|ユーザー|지시|명령|지침|프롬프트|사용자|التعليمات|الأوامر|القواعد|المستخدم|निर्देश|आदेश/i;
