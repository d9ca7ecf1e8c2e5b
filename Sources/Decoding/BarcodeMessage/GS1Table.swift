// The application identifiers of GS1, as data.
//
// A row contains: an identifier, or the first and the last of a range; `*` if its data end at a predefined length, so that
// no FNC1 follows, and `?` if a GS1 Digital Link may carry it in its query; its fields; its other requirements; and after
// `#` its data title.
//
// A field is n (digits), x (the 82 characters of figure 7.11-1 of the General Specifications), y (the 39 of figure 7.11-2)
// or z (file-safe base 64); a number is a fixed length, `..` a maximum, brackets an optional field. The names that follow
// are cases of `GS1Linter`.
//
// `req=` lists identifiers; at least one must be present too. Those joined by + must be present together. `ex=` lists those
// that must be absent; an n means any digit. `key` marks a primary key of GS1 Digital Link, with its qualifiers in order,
// alternatives separated by |.

enum GS1Table {
  /// The release of the table: GS1's dictionary, from which it is derived, has no version number, only the years of its
  /// contents.
  static let release = "2021-2025"
  /// The source of the rows.
  static let source = "GS1 Barcode Syntax Dictionary, GS1 AISBL"

  static let rows = """
    00 *? n18,csum,gcppos2 key # SSCC
    01 *? n14,csum,gcppos2 ex=255,37 key=22,10,21|235 # GTIN
    02 *? n14,csum,gcppos2 ex=01,03 req=37 # CONTENT
    03 * n14,csum,gcppos2 ex=01,02,37,235 # MTO GTIN
    10 ? x..20 req=01,02,03,8006,8026 # BATCH/LOT
    11 *? n6,yymmd0 req=01,02,03,8006,8026 # PROD DATE
    12 *? n6,yymmd0 req=8020 # DUE DATE
    13 *? n6,yymmd0 req=01,02,03,8006,8026 # PACK DATE
    15 *? n6,yymmd0 req=01,02,03,8006,8026 # BEST BEFORE or BEST BY
    16 *? n6,yymmd0 req=01,02,03,8006,8026 # SELL BY
    17 *? n6,yymmd0 req=01,02,03,255,8006,8026 # USE BY or EXPIRY
    20 *? n2 req=01,02,03,8006,8026 # VARIANT
    21 x..20 req=01,03,8006 ex=235 # SERIAL
    22 x..20 req=01 # CPV
    235 x..28 req=01 # TPX
    240 ? x..30 req=01,02,03,8006,8026 # ADDITIONAL ID
    241 ? x..30 req=01,02,03,8006,8026 # CUST. PART No.
    242 ? n..6 req=01,02,8006,8026 # MTO VARIANT
    243 ? x..20 req=01,03 # PCN
    250 ? x..30 req=01+21,03+21,8006+21 # SECONDARY SERIAL
    251 ? x..30 req=01,03,8006 # REF. TO SOURCE
    253 ? n13,csum,gcppos1 [x..17] key # GDTI
    254 x..20 req=414 # GLN EXTENSION COMPONENT
    255 ? n13,csum,gcppos1 [n..12] key ex=01,02,415,8006,8020,8026 # GCN
    30 ? n..8 req=01,02 # VAR. COUNT
    3100-3105 *? n6 req=01,02 ex=310n # NET WEIGHT (kg)
    3110-3115 *? n6 req=01,02 ex=311n # LENGTH (m)
    3120-3125 *? n6 req=01,02 ex=312n # WIDTH (m)
    3130-3135 *? n6 req=01,02 ex=313n # HEIGHT (m)
    3140-3145 *? n6 req=01,02 ex=314n # AREA (m²)
    3150-3155 *? n6 req=01,02 ex=315n # NET VOLUME (l)
    3160-3165 *? n6 req=01,02 ex=316n # NET VOLUME (m³)
    3200-3205 *? n6 req=01,02 ex=320n # NET WEIGHT (lb)
    3210-3215 *? n6 req=01,02 ex=321n # LENGTH (in)
    3220-3225 *? n6 req=01,02 ex=322n # LENGTH (ft)
    3230-3235 *? n6 req=01,02 ex=323n # LENGTH (yd)
    3240-3245 *? n6 req=01,02 ex=324n # WIDTH (in)
    3250-3255 *? n6 req=01,02 ex=325n # WIDTH (ft)
    3260-3265 *? n6 req=01,02 ex=326n # WIDTH (yd)
    3270-3275 *? n6 req=01,02 ex=327n # HEIGHT (in)
    3280-3285 *? n6 req=01,02 ex=328n # HEIGHT (ft)
    3290-3295 *? n6 req=01,02 ex=329n # HEIGHT (yd)
    3300-3305 *? n6 req=00,01 ex=330n # GROSS WEIGHT (kg)
    3310-3315 *? n6 req=00,01 ex=331n # LENGTH (m), log
    3320-3325 *? n6 req=00,01 ex=332n # WIDTH (m), log
    3330-3335 *? n6 req=00,01 ex=333n # HEIGHT (m), log
    3340-3345 *? n6 req=00,01 ex=334n # AREA (m²), log
    3350-3355 *? n6 req=00,01 ex=335n # VOLUME (l), log
    3360-3365 *? n6 req=00,01 ex=336n # VOLUME (m³), log
    3370-3375 *? n6 req=01 ex=337n # KG PER m²
    3400-3405 *? n6 req=00,01 ex=340n # GROSS WEIGHT (lb)
    3410-3415 *? n6 req=00,01 ex=341n # LENGTH (in), log
    3420-3425 *? n6 req=00,01 ex=342n # LENGTH (ft), log
    3430-3435 *? n6 req=00,01 ex=343n # LENGTH (yd), log
    3440-3445 *? n6 req=00,01 ex=344n # WIDTH (in), log
    3450-3455 *? n6 req=00,01 ex=345n # WIDTH (ft), log
    3460-3465 *? n6 req=00,01 ex=346n # WIDTH (yd), log
    3470-3475 *? n6 req=00,01 ex=347n # HEIGHT (in), log
    3480-3485 *? n6 req=00,01 ex=348n # HEIGHT (ft), log
    3490-3495 *? n6 req=00,01 ex=349n # HEIGHT (yd), log
    3500-3505 *? n6 req=01,02 ex=350n # AREA (in²)
    3510-3515 *? n6 req=01,02 ex=351n # AREA (ft²)
    3520-3525 *? n6 req=01,02 ex=352n # AREA (yd²)
    3530-3535 *? n6 req=00,01 ex=353n # AREA (in²), log
    3540-3545 *? n6 req=00,01 ex=354n # AREA (ft²), log
    3550-3555 *? n6 req=00,01 ex=355n # AREA (yd²), log
    3560-3565 *? n6 req=01,02 ex=356n # NET WEIGHT (tr oz)
    3570-3575 *? n6 req=01,02 ex=357n # NET VOLUME (oz)
    3600-3605 *? n6 req=01,02 ex=360n # NET VOLUME (qt (US))
    3610-3615 *? n6 req=01,02 ex=361n # NET VOLUME (gal.)
    3620-3625 *? n6 req=00,01 ex=362n # VOLUME (qt (US)), log
    3630-3635 *? n6 req=00,01 ex=363n # VOLUME (gal (US)), log
    3640-3645 *? n6 req=01,02 ex=364n # NET VOLUME (in³)
    3650-3655 *? n6 req=01,02 ex=365n # NET VOLUME (ft³)
    3660-3665 *? n6 req=01,02 ex=366n # NET VOLUME (yd³)
    3670-3675 *? n6 req=00,01 ex=367n # VOLUME (in³), log
    3680-3685 *? n6 req=00,01 ex=368n # VOLUME (ft³), log
    3690-3695 *? n6 req=00,01 ex=369n # VOLUME (yd³), log
    37 ? n..8 req=00+02,00+8026 # COUNT
    3900-3909 ? n..15 req=255,8020 ex=390n,391n,394n,8111 # AMOUNT
    3910-3919 ? n3,iso4217 n..15 req=8020 ex=391n # AMOUNT
    3920-3929 ? n..15 req=01+30,01+31nn,01+32nn,01+35nn,01+36nn ex=392n,393n # PRICE
    3930-3939 ? n3,iso4217 n..15 req=30,31nn,32nn,35nn,36nn ex=393n # PRICE
    3940-3943 ? n4 req=255 ex=394n,8111 # PRCNT OFF
    3950-3955 ? n6 req=30,31nn,32nn,35nn,36nn ex=392n,393n,395n,8005 # PRICE/UoM
    400 ? x..30 # ORDER NUMBER
    401 ? x..30,gcppos1 key # GINC
    402 ? n17,csum,gcppos1 key # GSIN
    403 ? x..30 req=00 # ROUTE
    410 *? n13,csum,gcppos1 # SHIP TO LOC
    411 *? n13,csum,gcppos1 # BILL TO
    412 *? n13,csum,gcppos1 # PURCHASE FROM
    413 *? n13,csum,gcppos1 # SHIP FOR LOC
    414 *? n13,csum,gcppos1 key=254|7040 # LOC No.
    415 *? n13,csum,gcppos1 req=8020 key=8020 # PAY TO
    416 *? n13,csum,gcppos1 # PROD/SERV LOC
    417 *? n13,csum,gcppos1 key=7040 # PARTY
    420 ? x..20 ex=421 # SHIP TO POST
    421 ? n3,iso3166 x..9 ex=4307 # SHIP TO POST
    422 ? n3,iso3166 req=01,02,03,8006,8026 ex=426 # ORIGIN
    423 ? n3,iso3166 [n3],iso3166 [n3],iso3166 [n3],iso3166 [n3],iso3166 req=01,02,03 ex=426 # COUNTRY - INITIAL PROCESS
    424 ? n3,iso3166 req=01,02,03 ex=426 # COUNTRY - PROCESS
    425 ? n3,iso3166 [n3],iso3166 [n3],iso3166 [n3],iso3166 [n3],iso3166 req=01,02,03 ex=426 # COUNTRY - DISASSEMBLY
    426 ? n3,iso3166 req=01,02,03 # COUNTRY - FULL PROCESS
    427 ? x..3 req=01+422,02+422,03+422 # ORIGIN SUBDIVISION
    4300 ? x..35,pcenc req=00 # SHIP TO COMP
    4301 ? x..35,pcenc req=00 # SHIP TO NAME
    4302 ? x..70,pcenc req=00 # SHIP TO ADD1
    4303 ? x..70,pcenc req=4302 # SHIP TO ADD2
    4304 ? x..70,pcenc req=00 # SHIP TO SUB
    4305 ? x..70,pcenc req=00 # SHIP TO LOC
    4306 ? x..70,pcenc req=00 # SHIP TO REG
    4307 ? x2,iso3166alpha2 req=00 # SHIP TO COUNTRY
    4308 ? x..30 req=00 # SHIP TO PHONE
    4309 ? n10,latitude n10,longitude req=00 # SHIP TO GEO
    4310 ? x..35,pcenc req=00 # RTN TO COMP
    4311 ? x..35,pcenc req=00 # RTN TO NAME
    4312 ? x..70,pcenc req=00 # RTN TO ADD1
    4313 ? x..70,pcenc req=4312 # RTN TO ADD2
    4314 ? x..70,pcenc req=00 # RTN TO SUB
    4315 ? x..70,pcenc req=00 # RTN TO LOC
    4316 ? x..70,pcenc req=00 # RTN TO REG
    4317 ? x2,iso3166alpha2 req=00 # RTN TO COUNTRY
    4318 ? x..20 req=00 # RTN TO POST
    4319 ? x..30 req=00 # RTN TO PHONE
    4320 ? x..35,pcenc req=00 # SRV DESCRIPTION
    4321 ? n1,yesno req=00 # DANGEROUS GOODS
    4322 ? n1,yesno req=00 # AUTH TO LEAVE
    4323 ? n1,yesno req=00 # SIG REQUIRED
    4324 ? n6,yymmd0 n4,hhmi req=00 # NOT BEF DEL DT
    4325 ? n6,yymmd0 n4,hhmi req=00 # NOT AFT DEL DT
    4326 ? n6,yymmdd req=00 # REL DATE
    4330 ? n6 [x1],hyphen req=00 ex=4331 # MAX TEMP F.
    4331 ? n6 [x1],hyphen req=00 ex=4330 # MAX TEMP C.
    4332 ? n6 [x1],hyphen req=00 ex=4333 # MIN TEMP F.
    4333 ? n6 [x1],hyphen req=00 ex=4332 # MIN TEMP C.
    7001 ? n13 req=01,02,8006,8026 # NSN
    7002 ? x..30 req=01,02 # MEAT CUT
    7003 ? n6,yymmdd n4,hhmi req=01,02,03 # EXPIRY TIME
    7004 ? n..4 req=01+10,03+10 # ACTIVE POTENCY
    7005 ? x..12 req=01,02 # CATCH AREA
    7006 ? n6,yymmdd req=01,02 # FIRST FREEZE DATE
    7007 ? n6,yymmdd [n6],yymmdd req=01,02 # HARVEST DATE
    7008 ? x..3 req=01,02 # AQUATIC SPECIES
    7009 ? x..10 req=01,02 # FISHING GEAR TYPE
    7010 ? x..2 req=01,02,03 # PROD METHOD
    7011 ? n6,yymmdd [n4],hhmi req=01,02,03 # TEST BY DATE
    7020 ? x..20 req=01+416,03+416,8006+416 # REFURB LOT
    7021 ? x..20 req=01,03,8006 # FUNC STAT
    7022 ? x..20 req=01+7021,03+7021,8006+7021 # REV STAT
    7023 ? x..30,gcppos1 # GIAI - ASSEMBLY
    7030 ? n3,iso3166999 x..27 req=01,02 # PROCESSOR # 0
    7031 ? n3,iso3166999 x..27 req=01,02 # PROCESSOR # 1
    7032 ? n3,iso3166999 x..27 req=01,02 # PROCESSOR # 2
    7033 ? n3,iso3166999 x..27 req=01,02 # PROCESSOR # 3
    7034 ? n3,iso3166999 x..27 req=01,02 # PROCESSOR # 4
    7035 ? n3,iso3166999 x..27 req=01,02 # PROCESSOR # 5
    7036 ? n3,iso3166999 x..27 req=01,02 # PROCESSOR # 6
    7037 ? n3,iso3166999 x..27 req=01,02 # PROCESSOR # 7
    7038 ? n3,iso3166999 x..27 req=01,02 # PROCESSOR # 8
    7039 ? n3,iso3166999 x..27 req=01,02 # PROCESSOR # 9
    7040 n1 x1 x1 x1,importeridx # UIC+EXT
    7041 x..4,packagetype req=00 # UFRGT UNIT TYPE
    710 ? x..20 req=01 # NHRN PZN
    711 ? x..20 req=01 # NHRN CIP
    712 ? x..20 req=01 # NHRN CN
    713 ? x..20 req=01 # NHRN DRN
    714 ? x..20 req=01 # NHRN AIM
    715 ? x..20 req=01 # NHRN NDC
    716 ? x..20 req=01 # NHRN AIC
    717 ? x..20 req=01 # NHRN SRN
    7230 ? x2 x..28 req=01,8004 # CERT # 1
    7231 ? x2 x..28 req=01,8004 # CERT # 2
    7232 ? x2 x..28 req=01,8004 # CERT # 3
    7233 ? x2 x..28 req=01,8004 # CERT # 4
    7234 ? x2 x..28 req=01,8004 # CERT # 5
    7235 ? x2 x..28 req=01,8004 # CERT # 6
    7236 ? x2 x..28 req=01,8004 # CERT # 7
    7237 ? x2 x..28 req=01,8004 # CERT # 8
    7238 ? x2 x..28 req=01,8004 # CERT # 9
    7239 ? x2 x..28 req=01,8004 # CERT # 10
    7240 ? x..20 req=01,8006 ex=03 # PROTOCOL
    7241 ? n2,mediatype req=8017,8018 # AIDC MEDIA TYPE
    7242 ? x..25 req=8017,8018 # VCN
    7250 ? n8,yyyymmdd req=8018 ex=7251 # DOB
    7251 ? n8,yyyymmdd n4,hhmi req=8018 ex=7250 # DOB TIME
    7252 ? n1,iso5218 req=8018 # BIO SEX
    7253 ? x..40,pcenc req=8017,8018 ex=7256,7259 # FAMILY NAME
    7254 ? x..40,pcenc req=8017,8018 ex=7256,7259 # GIVEN NAME
    7255 ? x..10 req=8017,8018 ex=7256,7259 # SUFFIX
    7256 ? x..90,pcenc req=8017,8018 # FULL NAME
    7257 ? x..70,pcenc req=8018 # PERSON ADDR
    7258 ? x3,posinseqslash req=8018+7259 # BIRTH SEQUENCE
    7259 ? x..40,pcenc req=8018 ex=7256 # BABY
    8001 ? n4,nonzero n5,nonzero n3,nonzero n1,winding n1 req=01 # DIMENSIONS
    8002 ? x..20 # CMT No.
    8003 ? n1,zero n13,csum,gcppos1 [x..16] key # GRAI
    8004 ? x..30,gcppos1 key=7040 # GIAI
    8005 ? n6 req=01,02 # PRICE PER UNIT
    8006 ? n14,csum,gcppos2 n4,pieceoftotal ex=01,03,37 key=22,10,21 # ITIP
    8007 ? x..34,iban req=415 # IBAN
    8008 ? n6,yymmdd n2,hh [n2],mi [n2],ss req=01,02,03 # PROD TIME
    8009 ? x..50 req=00,01,03 # OPTSEN
    8010 ? y..30,gcppos1 key=8011 # CPID
    8011 n..12,nozeroprefix req=8010 # CPID SERIAL
    8012 ? x..20 req=01,03,8006 # VERSION
    8013 ? x..25,csumalpha,gcppos1 key # GMN
    8014 x..25,csumalpha,gcppos1,hasnondigit req=01 # MUDI
    8017 ? n18,csum,gcppos1 ex=8018 key=8019 # GSRN - PROVIDER
    8018 ? n18,csum,gcppos1 ex=8017 key=8019 # GSRN - RECIPIENT
    8019 n..10 req=8017,8018 # SRIN
    8020 x..25 req=415 # REF No.
    8026 ? n14,csum,gcppos2 n4,pieceoftotal req=37 ex=02,03,8006 # ITIP CONTENT
    8030 ? z..90 req=00,01+21,03+21,253,255,8003,8004,8006+21,8010+8011,8017,8018 # DIGSIG
    8040 n15 req=01+21 # IMEI
    8041 n15 req=01+21+8040 # IMEI2
    8042 n32 req=01+21+8040 # ESIM
    8043 n18 [n..2] req=01+21+8040 # PSIM
    8110 ? x..70,couponcode
    8111 ? n4 req=255 # POINTS
    8112 ? x..70,couponposoffer
    8200 x..70 req=01 # PRODUCT URL
    90 ? x..30 # INTERNAL
    91-99 ? x..90 # INTERNAL
    """
}
